import * as z from 'zod';
import { activeSandboxModes } from '../config/sandbox.ts';
import { checkCommand, count, durationMs, instant, judgedTree } from '../facts/shapes.ts';
import { proofLevels, verdicts } from '../words.ts';

/** The name of the format; any other is refused. */
export const proofFormat = 'ralphd-proof/1';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const crc = z.string().regex(/^[0-9a-f]{8}$/);

const ranCheck = z.object({
  command: z.string().describe('The command on one line.'),
  verdict: z.enum(verdicts),
  exitCode: z.int().optional(),
  durationMs,
  outputDigest: sha256.optional().describe('SHA-256 of its whole output.'),
});

const counted = z.object({ framework: z.string(), total: count, passed: count, failed: count, skipped: count });

const checkRun = z.object({ verdict: z.enum(verdicts), checks: z.array(ranCheck), tests: counted.optional() });

/** A proof as a file: what was checked, with which result, and how to repeat it without trusting anyone. */
const proofBundleSchema = z
  .object({
    format: z.literal(proofFormat),
    createdAt: instant,
    loop: z.object({
      id: z.string(),
      uuid: z.string(),
      task: z.string(),
      status: z.string(),
      verified: z.boolean(),
      iterations: count,
      startedAt: instant.optional(),
      endedAt: instant.optional(),
      runningMs: durationMs.describe('Running time of the loop, without pauses.'),
    }),
    proof: z.object({
      level: z.enum(proofLevels).describe('Where the checks ran.'),
      tree: judgedTree.nullable().describe('The files that the verdict is about; null for loops of early releases.'),
      folder: z
        .string()
        .refine((folder) => !folder.startsWith('/') && !folder.split('/').includes('..'), 'it is outside the tree')
        .describe('The work folder, relative to the root of the tree; empty if it is the root.'),
      commit: z
        .object({
          id: z.string(),
          holdsEverything: z
            .boolean()
            .describe('Whether it contains all files of the tree; otherwise some were not committed.'),
        })
        .nullable()
        .describe('The commit that was checked out.'),
    }),
    commands: z.array(checkCommand).describe('The commands of the gate, fixed when the loop started.'),
    baseline: checkRun.nullable().describe('The checks before the first iteration; null if they were not run.'),
    final: checkRun
      .extend({ iteration: count, attempt: count, durationMs })
      .describe('The run that proves completion.'),
    environment: z.object({
      ralphd: z.string(),
      node: z.string(),
      platform: z.string(),
      arch: z.string(),
      programs: z
        .array(z.object({ name: z.string(), version: z.string() }))
        .describe('Programs that the checks run, with their versions when the proof was created.'),
    }),
    sandbox: z
      .enum(activeSandboxModes)
      .optional()
      .describe('The sandbox in which every run of the agent worked, and the checks; absent if one had none.'),
    agents: z.array(z.object({ name: z.string(), models: z.array(z.string()) })),
    usage: z.object({
      tokens: count,
      costUsd: z.number(),
      runs: count,
      unreportedTokens: count.describe('Number of agent runs that did not report tokens.'),
      unreportedCost: count.describe('Number of agent runs that did not report cost.'),
    }),
    doubts: z
      .array(z.looseObject({ code: z.string(), message: z.string().optional(), files: z.array(z.string()).optional() }))
      .describe('Reasons to review the result.'),
    warnings: z.array(z.string()),
    guardsChanged: z.array(z.string()).describe('Changed guards that the user accepted.'),
    journal: z.object({
      facts: z
        .array(z.object({ type: z.string(), seq: count, at: instant, crc }))
        .describe('The facts that the proof is based on; each checksum covers all preceding journal lines.'),
      segments: z.array(z.object({ name: z.string(), bytes: count, sha256 })),
      end: z.object({ seq: count, crc }),
    }),
    digest: sha256.describe('SHA-256 of all other fields, as JSON with sorted keys and no whitespace.'),
  })
  .describe('A proof that a loop completed its task.');

/** A proof as a file. */
export type ProofBundle = z.output<typeof proofBundleSchema>;

/** Parses a proof; returns the problem as text if it is not valid. */
export function readProofBundle(value: unknown): ProofBundle | string {
  const parsed = proofBundleSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  return `${issue?.path.join('.') || 'the document'}: ${issue?.message ?? 'it cannot be read'}`;
}

/** The format of a proof as JSON Schema. */
export function proofJsonSchema(): object {
  return z.toJSONSchema(proofBundleSchema, { io: 'input' });
}
