import path from 'node:path';
import { readImports } from '../../architecture/imports.ts';
import { drawHouse } from '../house/draw.ts';
import { coreRoom, houseGraph, topRoom } from '../house/graph.ts';

/** The purpose of each room in two short lines. The generator reports a room that is missing here. */
const rooms = {
  cli: 'commands, output,\nexit codes',
  tachikoma: 'for code written\nfor Tachikoma',
  ultraplan: 'for code written\nfor ultraplan',
  aiwg: 'documents of\nAIWG, typed',
  library: 'functions and hints\nfor programs',
  views: 'what a person\nsees of a loop',
  tui: 'the screen of\na terminal',
  server: 'the page: HTTP,\nevents, access',
  app: 'use cases and\nthe wiring',
  selftest: 'judges ralphd\nfrom outside',
  runner: 'the ports, and\nthe driver',
  agents: 'one folder\nper agent',
  backup: 'copies outside\nthe machine',
  config: 'find, merge,\nexplain settings',
  control: 'commands to a\nrunning loop',
  formats: "other systems'\ndocuments",
  gate: 'runs the checks,\nguards them',
  notify: 'sends\nnotifications',
  sandbox: 'what an agent\nmay reach',
  telemetry: 'traces and metrics\nfor a collector',
  vault: 'keys,\nencryption',
  fleet: 'loops in a\ndatabase',
  store: 'durable state\non files',
  workspace: 'what changed in\nthe work tree',
  files: 'durable file\nprimitives',
  process: 'an agent and its\nwhole tree',
  core: 'the rules,\npure',
  protocol: 'schemas of all\nexternal data',
  base: 'errors, durations,\nids, redaction',
} as const;

const roomsOfCore = {
  loop: 'decide, evolve,\naccept',
  settle: 'the outcome of\nan attempt',
  account: 'a loop and its\niterations, described',
  explain: 'why, and the\nnext step',
  metrics: 'numbers for\nmonitoring',
  fleet: 'when a schedule\nis due',
  rules: 'limits, streaks,\nconditions',
  progress: 'score, best one,\ntest memory',
  notify: 'what to report,\nhow often',
  prompt: 'what the agent\nis asked',
  gate: 'what a check\nproves',
  reports: 'readers of\ntest output',
  state: 'the loop\nas data',
} as const;

const floors: readonly (readonly (keyof typeof rooms)[])[] = [
  ['tachikoma', 'ultraplan', 'aiwg', 'cli'],
  ['library', 'tui', 'server'],
  ['app', 'selftest'],
  [
    'agents',
    'config',
    'formats',
    'runner',
    'control',
    'notify',
    'telemetry',
    'backup',
    'vault',
    'fleet',
    'store',
    'gate',
    'sandbox',
    'workspace',
  ],
  ['files', 'process', 'views'],
  ['core'],
  ['protocol'],
  ['base'],
];

/** The rooms of the product. */
export function housePicture(root: string): string {
  return drawHouse(houseGraph(readImports(path.join(root, 'src')), { room: topRoom, floors }), rooms);
}

/** The rooms of the rules. */
export function corePicture(root: string): string {
  return drawHouse(houseGraph(readImports(path.join(root, 'src')), { room: coreRoom }), roomsOfCore);
}
