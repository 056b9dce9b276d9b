import type { AppContext, ListedAgent, LoopPlace } from '../app/index.ts';
import type { ResumeRequest, StartRequest } from '../protocol/index.ts';
import type { ListenOptions } from './http/listen.ts';
import type { ServerWords } from './words.ts';

/** A process that was started for a loop. */
export interface StartedOwner {
  readonly loopId: string;
  /** Missing if another machine runs it. */
  readonly pid?: number;
  readonly warnings: readonly string[];
}

/** Starts processes that run loops, as `ralphd run --detach` does; they do not depend on the server. */
export interface OwnerStarter {
  /** Missing where loops are only continued. */
  readonly start?: (place: LoopPlace, request: StartRequest) => Promise<StartedOwner>;
  resume(place: LoopPlace, loopId: string, request: ResumeRequest): Promise<StartedOwner>;
}

/** Everything that a server needs from its face. */
export interface ServerSetting {
  readonly version: string;
  /** The projects to show, looked up each time. */
  readonly places: () => readonly LoopPlace[];
  /** Whether these are all projects of the user. */
  readonly isAll: boolean;
  readonly context: AppContext;
  readonly words: ServerWords;
  /** Missing for a server that only shows loops. */
  readonly owners?: OwnerStarter | undefined;
  readonly listAgents: () => Promise<readonly ListedAgent[]>;
  readonly listen: ListenOptions;
  /** Names under which the server answers, besides those of this machine for itself. */
  readonly names: readonly string[];
  /** The folder of the page. */
  readonly pageFolder: string;
  /** Where sessions are kept; missing if they end with the server. */
  readonly sessionFile?: string | undefined;
  /** A token that scripts send. */
  readonly token?: string | undefined;
  /** Told of faults in the server itself. */
  readonly onFault: (error: unknown) => void;
}
