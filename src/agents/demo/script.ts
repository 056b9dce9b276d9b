import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { nextStep, projectFiles, sourceFile } from './project.ts';

/*
 * The demo's agent: a separate program that reads a prompt on stdin and edits files, like any other agent.
 * With `--set-up DIR` it creates the broken project instead.
 */
const [word, folder] = process.argv.slice(2);
if (word === '--set-up' && folder !== undefined) setUp(folder);
else await work();

function setUp(place: string): void {
  mkdirSync(place, { recursive: true });
  for (const [name, text] of Object.entries(projectFiles)) writeFileSync(path.join(place, name), text, { flag: 'wx' });
  const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: place, stdio: 'ignore' });
  try {
    git('init', '--quiet');
    git('add', '.');
    git('-c', 'user.name=ralphd demo', '-c', 'user.email=demo@localhost', 'commit', '--quiet', '-m', 'A broken cart');
  } catch {
    console.log('git is not here, so the demo runs in a plain folder.');
  }
}

async function work(): Promise<void> {
  const prompt = readFileSync(0, 'utf8');
  const { lines, source, claims } = nextStep(readFileSync(sourceFile, 'utf8'), prompt);
  for (const line of lines) {
    console.log(line);
    await delay(300);
  }
  writeFileSync(sourceFile, source);
  if (claims) console.log('\n<promise>DONE</promise>');
}
