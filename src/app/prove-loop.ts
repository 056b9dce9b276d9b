import { createHash } from 'node:crypto';
import path from 'node:path';
import { failures, LoopError } from '../base/index.ts';
import { buildProof, canonicalJson, type Loop, lineOfCommand, type UnsignedProof } from '../core/index.ts';
import { createDocument } from '../files/index.ts';
import { findTop } from '../gate/index.ts';
import { findExecutable, runToEnd } from '../process/index.ts';
import { type CheckCommand, type ProofBundle, type RecordedFact, readFact } from '../protocol/index.ts';
import { type JournalEvidence, readEvidence } from '../store/index.ts';
import { git, isReadError, realFolder } from '../workspace/index.ts';
import { foldState } from './adapters/fold-state.ts';
import { redactorFor } from './adapters/redact-facts.ts';
import { timestamp } from './machine.ts';
import { findLoopId } from './read-loops.ts';
import { type LoopPlace, openStore } from './stores.ts';

/** What a proof needs besides the loop. */
export interface ProofContext {
  readonly env: NodeJS.ProcessEnv;
  /** The version of ralphd. */
  readonly version: string;
}

/** A proof, and the loop it is about. */
interface LoopProof {
  readonly loopId: string;
  readonly bundle: ProofBundle;
}

/** Creates the proof of a completed and verified loop. */
export async function proveLoop(
  place: LoopPlace,
  query: string | undefined,
  context: ProofContext,
): Promise<LoopProof> {
  const loopId = findLoopId(place, query, { orNewest: true });
  const { loop, evidence } = readLoop(place, loopId);
  const unsigned = proofFrom(loop, evidence, {
    context,
    circumstances: await circumstancesOf(loop, evidence, context),
  });
  if (unsigned === undefined) {
    const state = loop.status === 'completed' ? 'completed without verification' : loop.status;
    throw new LoopError(failures.noProof(loopId, state));
  }
  return { loopId, bundle: { ...unsigned, digest: digestOfProof(unsigned) } };
}

/** Writes a text to a new file. */
export function writeDocument(file: string, text: string): void {
  if (!createDocument(file, text)) throw new LoopError(failures.fileExists(file));
}

/** The digest of a proof, without the digest field itself. */
export function digestOfProof(proof: object): string {
  const { digest: _digest, ...rest } = proof as Record<string, unknown>;
  return createHash('sha256').update(canonicalJson(rest)).digest('hex');
}

/** The proof that a loop's current journal leads to; undefined if it proves nothing or does not exist. */
export function rebuildProof(
  place: LoopPlace,
  bundle: ProofBundle,
  context: ProofContext,
): { readonly proof: UnsignedProof | undefined; readonly problems: readonly string[] } | undefined {
  if (!openStore(place).has(bundle.loop.id)) return undefined;
  const { loop, evidence } = readLoop(place, bundle.loop.id);
  const { createdAt, environment, proof } = bundle;
  const circumstances = { createdAt, environment, folder: proof.folder, commit: proof.commit };
  return { proof: proofFrom(loop, evidence, { context, circumstances }), problems: evidence.problems };
}

function readLoop(place: LoopPlace, loopId: string): { readonly loop: Loop; readonly evidence: JournalEvidence } {
  const store = openStore(place);
  return { loop: foldState(store.read(loopId)), evidence: readEvidence(store.place(loopId)) };
}

type Circumstances = Parameters<typeof buildProof>[0]['circumstances'];

/** Fields that redaction must not change; otherwise the proof could not be verified. */
const unredacted: ReadonlySet<string> = new Set(['id', 'uuid', 'crc', 'sha256', 'digest', 'outputDigest', 'format']);

function proofFrom(
  loop: Loop,
  { entries, crcs, segments, end }: JournalEvidence,
  { context, circumstances }: { readonly context: ProofContext; readonly circumstances: Circumstances },
): UnsignedProof | undefined {
  const facts = entries.flatMap((entry): RecordedFact[] => {
    const reading = readFact(entry);
    return reading.ok ? [reading.fact] : [];
  });
  const journal = { segments: [...segments], end };
  const proof = buildProof({ loop, facts, crcs, journal, circumstances });
  return proof && redactorFor(context.env, loop.config).redactDeep(proof, unredacted);
}

async function circumstancesOf(
  loop: Loop,
  { entries }: JournalEvidence,
  { env, version }: ProofContext,
): Promise<Circumstances> {
  const top = findTop(loop.origin.workingDirectory);
  return {
    createdAt: timestamp(),
    environment: {
      ralphd: version,
      node: process.versions.node,
      platform: process.platform,
      arch: process.arch,
      programs: await programsOf(loop.gate.checks, top, env),
    },
    folder: path.relative(top, realFolder(loop.origin.workingDirectory)),
    commit: await commitFor(top, { tree: loop.verification.latest?.result.tree?.id, entries, env }),
  };
}

/** The current commit if it has exactly the judged files, otherwise the one that the agent left. */
async function commitFor(
  top: string,
  {
    tree,
    entries,
    env,
  }: {
    readonly tree: string | undefined;
    readonly entries: JournalEvidence['entries'];
    readonly env: NodeJS.ProcessEnv;
  },
): Promise<ProofBundle['proof']['commit']> {
  const [id, present] = await revisions(top, ['HEAD', 'HEAD^{tree}'], env);
  if (id !== undefined && tree !== undefined && present === tree) return { id, holdsEverything: true };
  const finished = entries.findLast(({ type }) => type === 'agent.finished');
  const reading = finished === undefined ? undefined : readFact(finished);
  const fact = reading?.ok === true ? reading.fact : undefined;
  const commit = fact?.type === 'agent.finished' ? fact.data.changes.commit : undefined;
  return commit === undefined ? null : { id: commit.id, holdsEverything: commit.isWhole };
}

/** The object ids of these revisions; undefined if git does not know one of them. */
export async function revisions(
  folder: string,
  names: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<readonly string[]> {
  try {
    const args = ['rev-parse', '--verify', '--end-of-options'];
    const printed = await Promise.all(names.map((name) => git(folder, { args: [...args, name], env })));
    return printed.map((bytes) => bytes.toString().trim());
  } catch (error) {
    if (!isReadError(error)) throw error;
    return [];
  }
}

/** Programs that print their version on one line. */
const versionedPrograms: ReadonlySet<string> = new Set(
  `bun bundle cargo composer deno dotnet git go gradle just make mvn node npm npx php phpunit pnpm poetry pytest python
   python3 rake rspec ruby rustc uv yarn`.split(/\s+/),
);
const versionTimeoutMs = 10_000;

/** The versions of the programs that the checks start with. Programs inside the work tree are never run. */
async function programsOf(
  commands: readonly CheckCommand[],
  top: string,
  env: NodeJS.ProcessEnv,
): Promise<ProofBundle['environment']['programs']> {
  const names = new Set(commands.map((command) => lineOfCommand(command).trim().split(/\s/)[0] ?? ''));
  const versions = [...names].map(async (name) => {
    const program = versionedPrograms.has(name) ? findExecutable(name, { PATH: env['PATH'], cwd: '/' }) : undefined;
    if (program === undefined || isInside(program, top)) return [];
    const flag = name === 'go' ? 'version' : '--version';
    const { ending, output } = await runToEnd({ command: [program, flag], cwd: '/', env, timeoutMs: versionTimeoutMs });
    const version = output.trim().split('\n')[0] ?? '';
    return ending.kind === 'exited' && ending.code === 0 && version !== '' ? [{ name, version }] : [];
  });
  return (await Promise.all(versions)).flat();
}

function isInside(program: string, top: string): boolean {
  return [program, realFolder(program)].some((file) => file.startsWith(`${top}/`));
}
