export { type OpenServer, openServer } from './open-server.ts';
export type { OwnerStarter, ServerSetting, StartedOwner } from './setting.ts';
export type { ServerWords } from './words.ts';
