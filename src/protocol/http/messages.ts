import type * as z from 'zod';
import type { Frozen } from '../view/stored-view.ts';
import type { commandRequest, linkAnswer, resumeRequest, startAnswer, startRequest } from './control.ts';
import type { fleetMessages, loopMessages } from './events.ts';
import type { diff, iterationDetails, searchResult, transcript } from './iteration.ts';
import type { explained, iterationList, loopPage, nightBlock, standing } from './loop.ts';
import type { loopList, loopRow, shownStates, unreadableLoop } from './loops.ts';
import type { loopReport, nightReport, numbers, reportText, serverInfo } from './report.ts';
import type { advice, project } from './shapes.ts';

/** What arrives: deeply read-only. */
export type Sent<Schema extends z.ZodType> = Frozen<z.output<Schema>>;

// What the server answers and takes, as types alone: the page imports nothing else of this.

/** A next step. */
export type Advised = Sent<typeof advice>;
/** A command to a loop. */
export type CommandRequest = Frozen<z.input<typeof commandRequest>>;
/** Changed files and lines. */
export type Diff = Sent<typeof diff>;
/** Why a loop is in its state. */
export type Explained = Sent<typeof explained>;
/** The messages about all loops, by name. */
export type FleetMessages = { readonly [Name in keyof typeof fleetMessages]: Sent<(typeof fleetMessages)[Name]> };
/** Everything about one iteration. */
export type IterationDetails = Sent<typeof iterationDetails>;
/** Finished iterations. */
export type IterationList = Sent<typeof iterationList>;
/** All loops. */
export type LoopList = Sent<typeof loopList>;
/** The messages about one loop, by name. */
export type LoopMessages = { readonly [Name in keyof typeof loopMessages]: Sent<(typeof loopMessages)[Name]> };
/** Everything for the first look at a loop. */
export type LoopPage = Sent<typeof loopPage>;
/** A loop in the list. */
export type LoopRow = Sent<typeof loopRow>;
/** One block of the figure of the night. */
export type NightBlock = Sent<typeof nightBlock>;
/** What all loops did since an instant. */
export type NightReport = Sent<typeof nightReport>;
/** Totals and averages. */
export type Numbers = Sent<typeof numbers>;
/** A project with loops. */
export type Project = Sent<typeof project>;
/** A report in words. */
export type ReceiptText = Sent<typeof reportText>;
/** How to resume a loop. */
export type ResumeRequest = Frozen<z.input<typeof resumeRequest>>;
/** Where a text was found. */
export type SearchResult = Sent<typeof searchResult>;
/** The result of a loop. */
export type SentLoopReport = Sent<typeof loopReport>;
/** A part of what an agent wrote and did. */
export type SentTranscript = Sent<typeof transcript>;
/** What the server is and may do. */
export type ServerInfo = Sent<typeof serverInfo>;
/** What a person has to know about a loop first. */
export type ShownState = (typeof shownStates)[number];
/** Where a loop stands. */
export type Standing = Sent<typeof standing>;
/** A link for another device. */
export type LinkAnswer = Sent<typeof linkAnswer>;
/** A loop that runs now. */
export type StartAnswer = Sent<typeof startAnswer>;
/** A loop to start. */
export type StartRequest = Frozen<z.input<typeof startRequest>>;
/** A loop that cannot be read. */
export type UnreadableRow = Sent<typeof unreadableLoop>;
