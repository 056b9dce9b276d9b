import os from 'node:os';
import { localSender } from '../../app/index.ts';
import { failures, LoopError } from '../../base/index.ts';
import { describeApi, type ServerInfo } from '../../protocol/index.ts';
import { cookieHeader, readCookies } from '../access/cookie.ts';
import type { Sessions } from '../access/sessions.ts';
import type { Handlers } from '../http/requests.ts';
import type { Projects } from '../loops/projects.ts';
import type { ServerSetting } from '../setting.ts';

/** What is needed to tell about the server itself. */
export interface ServerParts {
  readonly setting: ServerSetting;
  readonly sessions: Sessions;
  readonly projects: Projects;
  readonly isSecure: boolean;
  readonly nowMs: () => number;
}

type Routes = Pick<
  Handlers,
  'openSession' | 'createLink' | 'closeSession' | 'getServer' | 'getDescription' | 'getHealth'
>;

/** A link that is shown on one device to be opened on another. */
const linkLifeMs = 15 * 60_000;
const agentsFreshMs = 60_000;

/** Signing in, and what this server is. */
export function serverRoutes({ setting, sessions, projects, isSecure, nowMs }: ServerParts): Routes {
  const { version, owners, isAll } = setting;
  const startedAt = new Date(nowMs()).toISOString();
  const listAgents = remembered(async () => agentsOf(await setting.listAgents()), nowMs);
  let description: string | undefined;
  return {
    openSession({ body }, exchange) {
      const session = sessions.signIn(body.token);
      if (session === undefined) throw new LoopError(failures.linkExpired());
      exchange.header('Set-Cookie', cookieHeader(session.cookie, isSecure));
      return { key: session.key };
    },
    createLink(_input, { req }) {
      const { token, expiresMs } = sessions.createToken(linkLifeMs);
      const origin = `${isSecure ? 'https' : 'http'}://${req.header('host') ?? ''}`;
      return { url: `${origin}/#token=${token}`, expiresAt: new Date(expiresMs).toISOString() };
    },
    closeSession(_input, exchange) {
      for (const cookie of readCookies(exchange.req.header('cookie'), isSecure)) sessions.signOut(cookie);
      exchange.header('Set-Cookie', cookieHeader(undefined, isSecure));
      return undefined;
    },
    async getServer() {
      const { user, pid } = localSender('page');
      return {
        version,
        host: os.hostname(),
        ...(user === undefined ? {} : { user }),
        pid,
        startedAt,
        nowMs: nowMs(),
        control: owners !== undefined,
        starts: owners?.start !== undefined,
        isAll,
        projects: projects.list().map(({ project }) => project),
        agents: await listAgents(),
      };
    },
    getDescription() {
      description ??= JSON.stringify(describeApi(version));
      return description;
    },
    getHealth: () => ({ status: 'ok', version }),
  };
}

function agentsOf(listed: Awaited<ReturnType<ServerSetting['listAgents']>>): ServerInfo['agents'] {
  return listed.map(({ agent, program, version, signIn }) => ({
    agent,
    isInstalled: program !== undefined,
    ...(version === undefined ? {} : { version }),
    ...(signIn === undefined ? {} : { signedIn: signIn.pays }),
  }));
}

/** Asking every agent for its version takes a process for each. */
function remembered<Value>(read: () => Promise<Value>, nowMs: () => number): () => Promise<Value> {
  let known: { readonly value: Promise<Value>; readonly atMs: number } | undefined;
  return async () => {
    if (known === undefined || nowMs() - known.atMs > agentsFreshMs) known = { value: read(), atMs: nowMs() };
    return await known.value;
  };
}
