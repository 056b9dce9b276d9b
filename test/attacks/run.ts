import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { Attack } from './attack.ts';
import { corpus } from './corpus/all.ts';
import { isAllowed, type Judgement, judge } from './judge.ts';
import { attackPage, type Row } from './page.ts';
import { honestWork, type Mode, modes, play, playByHand } from './play.ts';
import { stages } from './stages.ts';

/*
 * Plays the whole corpus of attacks against the built program: `npm run attacks`.
 *   npm run attacks -- --only git-replace --mode sealed    one attack, one kind of gate (both repeatable)
 *   npm run attacks -- --real                              does each attack work without guards?
 *   npm run attacks -- --write                             all of it, and docs/gate-attacks.md
 */
const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    mode: { type: 'string', multiple: true },
    jobs: { type: 'string', default: '2' },
    real: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
  },
});
const { only } = values;
const chosen = corpus.filter(
  ({ id, category }) => only === undefined || only.some((word) => id.startsWith(word) || category === word),
);
const wanted = modes.filter((mode) => (values.mode ?? ['tree', 'sealed', 'strict']).includes(mode));
const jobs = Number(values.jobs);

if (values.real) await tryReality();
else await tryGates();

/** Checks that each attack is real: the check passes by hand, and ralphd without guards completes. */
async function tryReality(): Promise<void> {
  await inParallel(chosen, async (attack) => {
    const byHand = attack.worksIn === undefined && attack.foolsByHand !== false ? await playByHand(attack) : undefined;
    const outcome = await play(attack, attack.worksIn ?? 'tree', { isGuarded: false });
    const hand = byHand === undefined ? 'not by hand' : byHand.passes ? 'fools by hand' : 'DOES NOT FOOL BY HAND';
    const loop = outcome.completed
      ? 'completes unguarded'
      : `refused unguarded (${outcome.verdict ?? outcome.exitCode})`;
    const truth = outcome.workIsDone || byHand?.workIsDone ? 'THE WORK IS DONE' : 'the tests fail';
    console.log(`${attack.id}: ${hand}; ${loop}; ${truth}`);
    if (values.verbose) console.log(outcome.findings.join('\n'), outcome.message);
  });
}

async function tryGates(): Promise<void> {
  const rows: Row[] = [];
  let bad = 0;
  for (const mode of wanted) {
    if (only === undefined) bad += await tryControls(mode);
    // With nothing to protect, strict is the same as sealed.
    const played = chosen.filter(({ protects }) => mode !== 'strict' || protects !== undefined);
    await inParallel(played, async (attack) => {
      const judgement = await judgedRun(attack, mode);
      const allowed = isAllowed(attack, mode, judgement);
      rows.push({ attack, mode, judgement });
      if (!allowed) bad += 1;
      console.log(`${allowed ? 'ok ' : 'BAD'} ${mode} ${attack.id}: ${wordsOf(judgement)}`);
    });
  }
  console.log(`${rows.length} runs of ${chosen.length} attacks, ${bad} not as specified`);
  if (values.write) writeFileSync(path.resolve(import.meta.dirname, '../../docs/gate-attacks.md'), attackPage(rows));
  process.exitCode = bad === 0 ? 0 : 1;
}

async function judgedRun(attack: Attack, mode: Mode): Promise<Judgement> {
  try {
    const outcome = await play(attack, mode);
    if (values.verbose) console.log(outcome);
    return judge(attack, outcome);
  } catch (error) {
    return { kind: 'invalid', reason: String(error) };
  }
}

/** Plays honest work: a gate that rejects it would also reject every attack. */
async function tryControls(mode: Mode): Promise<number> {
  let bad = 0;
  await inParallel(stages, async (stage) => {
    const outcome = await play(honestWork(stage), mode);
    const good = outcome.completed && outcome.workIsDone && outcome.findings.length === 0;
    if (!good) bad += 1;
    console.log(
      `${good ? 'ok ' : 'BAD'} ${mode} honest work, ${stage.name}: ${outcome.findings.join('; ')} ${good ? '' : outcome.message}`,
    );
  });
  return bad;
}

function wordsOf(judgement: Judgement): string {
  switch (judgement.kind) {
    case 'refused':
    case 'named':
      return `${judgement.kind} (${judgement.by})`;
    case 'unnamed':
      return 'completed, and nothing was named';
    case 'possible':
    case 'invalid':
      return `${judgement.kind}: ${judgement.reason}`;
  }
}

async function inParallel<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const left = [...items];
  const worker = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: jobs }, worker));
}
