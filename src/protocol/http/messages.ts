import type * as z from 'zod';
import type { Frozen } from '../view/stored-view.ts';
import type { commandAnswer, commandRequest, resumeRequest, startAnswer, startRequest } from './control.ts';
import type { fleetMessages, loopMessages } from './events.ts';
import type { diff, iterationDetails, searchResult, transcript } from './iteration.ts';
import type { explained, history, iterationList, iterationRow, loopPage, nightBlock, standing } from './loop.ts';
import type { loopList, loopRow, shownStates, unreadableLoop } from './loops.ts';
import type { loopReport, nightReport, numbers, reportText, serverInfo } from './report.ts';
import type { advice, project } from './shapes.ts';

/** What arrives: deeply read-only. */
export type Sent<Schema extends z.ZodType> = Frozen<z.output<Schema>>;

// What the server answers and takes, as types alone: the page imports nothing else of this.

export type Advised = Sent<typeof advice>;
export type CommandAnswer = Sent<typeof commandAnswer>;
export type CommandRequest = Frozen<z.input<typeof commandRequest>>;
export type Diff = Sent<typeof diff>;
export type Explained = Sent<typeof explained>;
export type FleetMessages = { readonly [Name in keyof typeof fleetMessages]: Sent<(typeof fleetMessages)[Name]> };
export type IterationDetails = Sent<typeof iterationDetails>;
export type IterationList = Sent<typeof iterationList>;
export type LoopList = Sent<typeof loopList>;
export type LoopMessages = { readonly [Name in keyof typeof loopMessages]: Sent<(typeof loopMessages)[Name]> };
export type LoopPage = Sent<typeof loopPage>;
export type LoopRow = Sent<typeof loopRow>;
export type NightBlock = Sent<typeof nightBlock>;
export type NightReport = Sent<typeof nightReport>;
export type Numbers = Sent<typeof numbers>;
export type Project = Sent<typeof project>;
export type ReceiptText = Sent<typeof reportText>;
export type ResumeRequest = Frozen<z.input<typeof resumeRequest>>;
export type SearchResult = Sent<typeof searchResult>;
export type SentHistory = Sent<typeof history>;
export type SentLoopReport = Sent<typeof loopReport>;
export type SentRow = Sent<typeof iterationRow>;
export type SentTranscript = Sent<typeof transcript>;
export type ServerInfo = Sent<typeof serverInfo>;
export type ShownState = (typeof shownStates)[number];
export type Standing = Sent<typeof standing>;
export type StartAnswer = Sent<typeof startAnswer>;
export type StartRequest = Frozen<z.input<typeof startRequest>>;
export type UnreadableRow = Sent<typeof unreadableLoop>;
