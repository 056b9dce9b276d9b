import { type LoopConfig, type ProofLevel, protectionOf } from '../../protocol/index.ts';

/** What the level of a proof depends on. */
interface Completion {
  readonly config: Pick<LoopConfig, 'verifyIn' | 'protect'>;
  readonly gate?: { readonly result: { readonly proof?: ProofLevel } };
}

/** How far the proof of a completion reaches. A gate of the first releases does not say: then its settings do. */
export function proofLevelOf({ config, gate }: Completion, isVerified: boolean): ProofLevel {
  if (!isVerified) return 'none';
  if (gate?.result.proof !== undefined) return gate.result.proof;
  if (config.verifyIn !== 'tree') return config.verifyIn;
  return protectionOf(config.protect).mode === 'strict' ? 'clean' : 'tree';
}
