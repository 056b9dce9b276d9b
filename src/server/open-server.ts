import { createAccess } from './access/access.ts';
import { hostNameOf } from './access/same-site.ts';
import { digestOf } from './access/secrets.ts';
import { noSessionFile, openSessionFile } from './access/session-file.ts';
import { createSessions } from './access/sessions.ts';
import { createApp } from './app.ts';
import { listen } from './http/listen.ts';
import { readPageFiles } from './http/page-files.ts';
import { createGatekeeper, createSlots } from './limits.ts';
import { createFeeds } from './loops/feeds.ts';
import { createFleet } from './loops/fleet.ts';
import { createFleetStream } from './loops/fleet-stream.ts';
import { createProjects } from './loops/projects.ts';
import { controlRoutes } from './routes/control-routes.ts';
import { iterationRoutes } from './routes/iteration-routes.ts';
import { loopRoutes } from './routes/loop-routes.ts';
import { reportRoutes } from './routes/report-routes.ts';
import { serverRoutes } from './routes/server-routes.ts';
import type { ServerSetting } from './setting.ts';

/** A server that answers. */
export interface OpenServer {
  /** Its address, such as `http://127.0.0.1:7117`. */
  readonly origin: string;
  /** A link that opens the page, once. */
  createLink(): string;
  /** Ends all connections. No loop is affected. */
  close(): Promise<void>;
}

/** Pages and scripts that follow something at the same time. */
const maxStreams = 1_000;
/** A link is printed once, perhaps long before it is opened. */
const linkLifeMs = 7 * 24 * 60 * 60_000;

/** Opens a server; loops go on whatever becomes of it. */
export async function openServer(setting: ServerSetting): Promise<OpenServer> {
  const { context, words, owners, sessionFile, listen: place, onFault } = setting;
  const nowMs = () => Date.now();
  const sessions = createSessions(sessionFile === undefined ? noSessionFile() : openSessionFile(sessionFile), nowMs);
  const isSecure = place.certificate !== undefined;
  const access = createAccess({
    sessions,
    names: new Set([...setting.names, place.host].flatMap((name) => hostNameOf(bracketed(name)) ?? [])),
    isSecure,
    allowsControl: owners !== undefined,
    tokenDigest: setting.token === undefined ? undefined : digestOf(setting.token),
  });
  const projects = createProjects(setting.places, setting.isAll);
  const fleet = createFleet({ projects, words, env: context.env, nowMs });
  const fleetStream = createFleetStream(fleet, onFault);
  const feeds = createFeeds({ projects, words, context, nowMs });
  const heavy = createGatekeeper({ atOnce: 2, waiting: 64 });
  const handlers = {
    ...serverRoutes({ setting, sessions, projects, isSecure, nowMs }),
    ...loopRoutes({ projects, fleet, fleetStream, feeds, streams: createSlots(maxStreams, 'pages that follow loops') }),
    ...iterationRoutes({ projects, feeds, context, heavy }),
    ...reportRoutes({ projects, fleet, words, context, nowMs, heavy }),
    ...controlRoutes({ projects, context, owners }),
  };
  const app = createApp({ handlers, access, files: readPageFiles(setting.pageFolder), onFault });
  const listening = await listen((request, bindings) => app.fetch(request, bindings), place);
  const origin = `${isSecure ? 'https' : 'http'}://${bracketed(place.host)}:${listening.port}`;
  return {
    origin,
    createLink: () => `${origin}/#token=${sessions.createToken(linkLifeMs).token}`,
    async close() {
      fleetStream[Symbol.dispose]();
      feeds[Symbol.dispose]();
      await listening.close();
    },
  };
}

/** An IPv6 address as it is written in an address of the web. */
function bracketed(host: string): string {
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
}
