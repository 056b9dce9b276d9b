import { claude } from './claude.ts';
import { codex } from './codex.ts';
import { gemini } from './gemini.ts';
import { opencode } from './opencode.ts';
import type { Program } from './program.ts';

/** All agents that must conform. */
export const programs: readonly Program[] = [claude, codex, gemini, opencode];
