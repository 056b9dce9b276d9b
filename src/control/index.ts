export {
  collectCommands,
  type Delivery,
  isWellFormed,
  leaveCommand,
  peekCommands,
  type WaitingCommand,
  watchInbox,
} from './inbox.ts';
export { filesInInbox, type InboxPlace } from './inbox-folder.ts';
