import { claude } from './claude.ts';
import { codex } from './codex.ts';
import { gemini } from './gemini.ts';
import { opencode } from './opencode.ts';
import type { Program } from './program.ts';

/** Every agent that has to conform. */
export const programs: readonly Program[] = [claude, codex, gemini, opencode];
