import { claude } from '../programs/claude.ts';
import { conform } from './conform.ts';

await conform(claude);
