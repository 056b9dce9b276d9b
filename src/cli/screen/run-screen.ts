import type { DrivenLoop } from '../../app/index.ts';
import type { Surroundings } from '../surroundings.ts';
import { openScreen } from './open-screen.ts';

/**
 * Shows a loop that this process runs, until it is over, the person wants lines, or the loop asks something. The loop goes
 * on in any case.
 */
export async function showRun(
  driven: DrivenLoop,
  running: Promise<unknown>,
  surroundings: Surroundings,
): Promise<void> {
  const { drive, place, problems } = driven;
  const asked = Promise.withResolvers<void>();
  using _facts = drive.facts.subscribe(({ type }) => {
    if (type === 'question.asked') asked.resolve();
  });
  const own = {
    loopId: drive.loop.id,
    onPulse: driven.onPulse,
    interrupt: () => void process.kill(process.pid, 'SIGINT'),
  };
  using session = openScreen({ place, loopId: drive.loop.id, own }, surroundings);
  using _problems = problems.watch((message) => {
    session.ui.notice = message;
    session.changed();
  });
  await Promise.race([running, session.left, asked.promise]);
  await session.returned;
}
