import { securityHeaders } from '../http/answers.ts';
import { openEventStream, type StreamTarget } from '../http/event-stream.ts';
import type { Exchange, Handlers } from '../http/requests.ts';
import type { Slots } from '../limits.ts';
import { type Cursor, parseCursor } from '../loops/cursor.ts';
import type { Feeds } from '../loops/feeds.ts';
import type { Fleet } from '../loops/fleet.ts';
import type { FleetStream } from '../loops/fleet-stream.ts';
import { loopPageOf } from '../loops/loop-page.ts';
import type { Projects } from '../loops/projects.ts';

/** What is needed to show loops. */
export interface LoopParts {
  readonly projects: Projects;
  readonly fleet: Fleet;
  readonly fleetStream: FleetStream;
  readonly feeds: Feeds;
  readonly streams: Slots;
}

/** The list of loops, one loop, and both as they change. */
export function loopRoutes({
  projects,
  fleet,
  fleetStream,
  feeds,
  streams,
}: LoopParts): Pick<Handlers, 'listLoops' | 'followLoops' | 'getLoop' | 'followLoop'> {
  const open = (target: StreamTarget, slot: Disposable) => {
    const stream = openEventStream(target, securityHeaders);
    stream.onClose(() => slot[Symbol.dispose]());
    return stream;
  };
  return {
    listLoops: async () => await fleet.read(),
    followLoops: () => {
      const slot = streams.take();
      return (target) => fleetStream.add(open(target, slot));
    },
    async getLoop({ params }) {
      const feed = await feeds.open(projects.find(params.key));
      // Taken first: facts that arrive meanwhile come once more as events, with numbers that the page knows then.
      const { fold } = feed;
      return loopPageOf(feed.named, fold, await feed.standing());
    },
    async followLoop({ params, query }, exchange) {
      const feed = await feeds.open(projects.find(params.key));
      const slot = streams.take();
      const after = lastEventId(exchange) ?? parseCursor(query.after ?? '') ?? feed.fold;
      return (target) => feeds.send(feed, open(target, slot), after);
    },
  };
}

function lastEventId({ req }: Exchange): Cursor | undefined {
  return parseCursor(req.header('last-event-id') ?? '');
}
