import path from 'node:path';
import { emptyImage } from '../disk/image.ts';
import { createTape } from '../disk/trace.ts';
import { realSubject } from '../oracle/subject.ts';
import { nothingYet } from '../oracle/truth.ts';
import { played, scenarios } from '../scenarios/scenarios.ts';
import { linesOf } from './lines.ts';
import { realDisk } from './real-disk.ts';

/*
 * Plays one scenario on the real disk and says what the recorder noted, one line each.
 *   node test/crash/honesty/play.ts FOLDER SCENARIO
 */
const [folder = '', name = ''] = process.argv.slice(2);
const scenario = scenarios.find((each) => each.name === name);
if (!scenario || !path.isAbsolute(folder)) throw new Error('Which scenario, and where?');
const stage = played(scenario, realSubject, { tape: createTape(emptyImage, nothingYet, realDisk(folder)) });
console.log(linesOf(stage.tape.trace.operations).join('\n'));
