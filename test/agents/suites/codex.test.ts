import { codex } from '../programs/codex.ts';
import { conform } from './conform.ts';

await conform(codex);
