import { opencode } from '../programs/opencode.ts';
import { conform } from './conform.ts';

await conform(opencode);
