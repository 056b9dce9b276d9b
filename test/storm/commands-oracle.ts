import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { callRalphd } from '../support/ralphd-process.ts';
import { journalLines, judgeOrder, type Line } from './writers-oracle.ts';

/** A command sent to a loop, and the answer its sender received. */
export interface SentCommand {
  readonly loopId: string;
  readonly command: string;
  /** `none` when the owner took too long: the command stays in the inbox. */
  readonly answer: 'accepted' | 'refused' | 'none';
  readonly text?: string;
}

/** The loops after a storm of commands. */
export interface CommandedLoops {
  readonly folder: string;
  readonly loopIds: readonly string[];
  readonly sent: readonly SentCommand[];
}

/** All violations, one sentence each. */
export async function judgeCommands(loops: CommandedLoops): Promise<readonly string[]> {
  const { folder, loopIds, sent } = loops;
  const found = loopIds.flatMap((loopId) => {
    const lines = journalLines({ folder, loopId });
    const own = sent.filter((each) => each.loopId === loopId);
    const broken = [
      ...judgeOrder(lines),
      ...judgeAnswers(lines, own),
      ...judgeTexts(lines, own),
      ...leftIn(folder, loopId),
    ];
    return broken.map((sentence) => `${loopId}: ${sentence}`);
  });
  return [...found, ...(await judgeRegistry(loops))];
}

/** Each answer that a sender received is in the journal of its loop, exactly once. */
function judgeAnswers(lines: readonly Line[], sent: readonly SentCommand[]): readonly string[] {
  const answers = lines.filter(({ type }) => type === 'command.accepted' || type === 'command.refused');
  const ids = answers.map(({ data }) => String(data['id']));
  const twice = ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => `${id} was answered twice`);
  // Only the owners of the storm resume loops, never the senders.
  const count = (name: string, type: string) =>
    answers.filter((line) => line.type === type && line.data['command'] === name).length;
  const names = [...new Set(sent.map(({ command }) => command))];
  const differing = names.flatMap((name) =>
    (['accepted', 'refused'] as const).flatMap((word) => {
      const given = sent.filter((each) => each.command === name && each.answer === word).length;
      const late = sent.filter((each) => each.command === name && each.answer === 'none').length;
      const written = count(name, `command.${word}`);
      const isRight = given <= written && written <= given + late;
      return isRight ? [] : [`${given} senders of ${name} were ${word}, and ${written} are on record`];
    }),
  );
  const unsigned = answers
    .filter(({ data }) => data['sender'] === undefined)
    .map(({ seq }) => `line ${seq} has no sender`);
  return [...twice, ...differing, ...unsigned];
}

/** Guidance reached its own loop and no other. */
function judgeTexts(lines: readonly Line[], sent: readonly SentCommand[]): readonly string[] {
  const written = lines
    .filter(({ type }) => type === 'command.accepted')
    .flatMap(({ data: { text } }) => (typeof text === 'string' ? [text] : []));
  const given = sent.filter(({ answer }) => answer !== 'refused').flatMap(({ text }) => text ?? []);
  return [
    ...given.filter((text) => !written.includes(text)).map((text) => `"${text}" is lost`),
    ...written.filter((text) => !given.includes(text)).map((text) => `"${text}" was never sent here`),
  ];
}

/** No command is left unanswered. */
function leftIn(folder: string, loopId: string): readonly string[] {
  const inbox = path.join(folder, '.ralph/loops', loopId, 'inbox');
  return existsSync(inbox) ? readdirSync(inbox).map((name) => `${name} is still in the inbox`) : [];
}

/** Every loop has completed, and the registry lists none as active. */
async function judgeRegistry({ folder, loopIds }: CommandedLoops): Promise<readonly string[]> {
  const { stdout } = await callRalphd(folder, ['ls', '--json']);
  const { loops } = JSON.parse(stdout) as { readonly loops: readonly { loopId: string; status: string }[] };
  const registry = readFileSync(path.join(folder, '.ralph/registry.json'), 'utf8');
  const { active_loops: active } = JSON.parse(registry) as { readonly active_loops: readonly { loop_id: string }[] };
  return [
    ...(loops.length === loopIds.length ? [] : [`there are ${loops.length} loops instead of ${loopIds.length}`]),
    ...loops.filter(({ status }) => status !== 'completed').map(({ loopId, status }) => `${loopId} is ${status}`),
    ...active.map(({ loop_id: loopId }) => `${loopId} is still active in the registry`),
  ];
}
