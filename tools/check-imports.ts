import path from 'node:path';
import { findingsIn, readImports, sourcesOf } from './check/imports.ts';

/* Checks every import of the product against the rules of the house: `npm test -- house`. */
const root = path.dirname(import.meta.dirname);
const findings = findingsIn(await readImports(root), await sourcesOf(root));
for (const line of findings) console.log(line);
if (findings.length > 0) process.exitCode = 1;
