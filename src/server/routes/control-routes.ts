import { randomUUID } from 'node:crypto';
import { type AppContext, findLoop, localSender, resumeThroughOwner, sendToLoop } from '../../app/index.ts';
import { failures, LoopError } from '../../base/index.ts';
import type { LoopCommand } from '../../core/index.ts';
import { type CommandRequest, commandTable } from '../../protocol/index.ts';
import type { Handlers } from '../http/requests.ts';
import type { Projects } from '../loops/projects.ts';
import type { OwnerStarter } from '../setting.ts';

/** What is needed to act on loops. */
export interface ControlParts {
  readonly projects: Projects;
  readonly context: AppContext;
  readonly owners: OwnerStarter | undefined;
}

/** Commands to loops, and new processes for them. */
export function controlRoutes({
  projects,
  context,
  owners,
}: ControlParts): Pick<Handlers, 'sendCommand' | 'startLoop' | 'resumeLoop'> {
  const starter = () => {
    if (owners === undefined) throw new LoopError(failures.controlNotAllowed());
    return owners;
  };
  return {
    async sendCommand({ params: { key }, body }) {
      const { place, loopId } = projects.find(key);
      const { status } = await sendToLoop(findLoop(place, loopId), toCommand(body), { place, context });
      const { command } = body;
      return { loopId, command, accepted: true, status, effect: commandTable[command].effect };
    },
    async startLoop({ body: { project, ...request } }) {
      const served = projects.choose(project);
      const { start } = starter();
      if (start === undefined) throw new LoopError(failures.startElsewhere());
      const { loopId, ...started } = await start(served.place, request);
      return { key: projects.keyOf(loopId, served), loopId, ...started };
    },
    async resumeLoop({ params: { key }, body }) {
      const named = projects.find(key);
      const { place, loopId } = named;
      // The process that still runs it continues it, unless more than that is asked for.
      const isPlain = Object.values(body).every((value) => value === undefined || value === false);
      const continued = isPlain ? await resumeThroughOwner(loopId, { place, context }) : undefined;
      if (continued !== undefined) return { key, loopId, warnings: [] };
      const { loopId: id, ...started } = await starter().resume(place, loopId, body);
      return { key: projects.keyOf(id, named), loopId: id, ...started };
    },
  };
}

/** The command as the loop records it: with who sent it. */
function toCommand({ id = randomUUID(), ...command }: CommandRequest): LoopCommand {
  return { ...command, id, sender: localSender('page') } as LoopCommand;
}
