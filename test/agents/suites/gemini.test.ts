import { gemini } from '../programs/gemini.ts';
import { conform } from './conform.ts';

await conform(gemini);
