export { collectCommands, type Delivery, type InboxPlace, leaveCommand, watchInbox } from './inbox.ts';
