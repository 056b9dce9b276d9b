export { collectCommands, type Delivery, type InboxPlace, isWellFormed, leaveCommand, watchInbox } from './inbox.ts';
