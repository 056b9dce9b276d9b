#!/usr/bin/env sh
// 2>/dev/null; export RALPHD_HANGUP="$({ /bin/sh -c 'kill -HUP $$'; } 2>/dev/null && echo ignored)"; exec node "$0" "$@"
// A shell runs the line above, which is a comment for Node: only a shell can tell that SIGHUP is ignored, as nohup wants
// it, because Node forgets that when it starts.
// Old syntax on purpose (Node 12 must parse it): this file is what tells people that their Node is too old.
import module from 'module';

// Not imported: an import makes Node read every export of a module, and some of those load many others.
const require = module.createRequire(import.meta.url);
const fs = require('fs');
const path = require('path');
const url = require('url');

const needed = [22, 18];
const configurationExit = 78;
const relaunchMark = 'RALPHD_RELAUNCHED';
const hangupMark = 'RALPHD_HANGUP';

const launcher = url.fileURLToPath(import.meta.url);
const home = path.dirname(path.dirname(launcher));
const args = process.argv.slice(2);
const relaunched = process.env[relaunchMark] !== undefined;
const isHangupIgnored = wasHangupIgnored();
delete process.env[relaunchMark]; // ours alone: agents must not inherit it
delete process.env[hangupMark];

if (isHangupIgnored) process.on('SIGHUP', function () {});
if (relaunched) followLauncher();
if (isNodeNewEnough()) start();
else relaunch();

// Without the shell above ("node bin/ralphd.mjs"), the last command that a shell ran is the only evidence.
function wasHangupIgnored() {
  const mark = process.env[hangupMark];
  return mark === undefined ? /(^|\/)nohup$/.test(process.env._ || '') : mark === 'ignored';
}

function isNodeNewEnough() {
  const have = process.versions.node.split('.').map(Number);
  return have[0] > needed[0] || (have[0] === needed[0] && have[1] >= needed[1]);
}

function start() {
  if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
    process.stdout.on('error', reportOutputError);
    process.stdout.write(JSON.parse(fs.readFileSync(path.join(home, 'package.json'), 'utf8')).version + '\n');
    return;
  }
  const entry = path.join(home, 'dist', 'cli.js');
  if (!fs.existsSync(entry)) {
    refuse('ralphd is not built yet: run "npm run build" in ' + home + ' and try again.');
    return;
  }
  if (args[0] !== 'serve') staySmall(args[0] === 'watch');
  if (module.enableCompileCache) module.enableCompileCache();
  import(url.pathToFileURL(entry).href)
    .then(function (cli) {
      return cli.main(args, { isHangupIgnored: isHangupIgnored });
    })
    .then(
      function (code) {
        process.exitCode = code;
      },
      function (error) {
        process.stderr.write(String((error && error.stack) || error) + '\n');
        process.exit(1);
      },
    );
}

// ralphd works little and lives long: a larger young generation only fills up with garbage. A watcher works even less,
// often for days and beside agents that need the memory, so that not even machine code earns what it takes. A server reads
// whole loops at once, and would spend a third of that time on collecting garbage. V8 reads these flags each time, so that
// they need no second process.
function staySmall(isWatcher) {
  const forWatchers = ['--optimize-for-size', '--no-opt', '--no-maglev', '--no-sparkplug'];
  ['--semi-space-growth-factor=1'].concat(isWatcher ? forWatchers : []).forEach(function (flag) {
    require('v8').setFlagsFromString(flag);
  });
}

function relaunch() {
  const bundled = relaunched ? undefined : findBundledNode();
  if (bundled === undefined) {
    refuseNode();
    return;
  }
  const env = Object.assign({}, process.env);
  env[relaunchMark] = '1';
  env[hangupMark] = isHangupIgnored ? 'ignored' : '';
  const childProcess = require('child_process');
  const signalNumbers = require('os').constants.signals;
  const inner = childProcess.spawn(bundled, [launcher].concat(args), {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: env,
  });
  const signals = isHangupIgnored ? ['SIGINT', 'SIGTERM'] : ['SIGINT', 'SIGTERM', 'SIGHUP'];
  function forward(signal) {
    inner.kill(signal);
  }
  signals.forEach(function (signal) {
    process.on(signal, forward);
  });
  inner.on('error', refuseNode); // for example a bundled Node built for another C library
  inner.on('exit', function (code, signal) {
    if (signal === null) process.exit(code);
    signals.forEach(function (name) {
      process.removeListener(name, forward);
    });
    process.kill(process.pid, signal);
    process.exitCode = 128 + signalNumbers[signal]; // only for a signal that this process ignores
  });
}

// Only the repository carries a Node; a published package has no tools/ folder.
function findBundledNode() {
  const runtime = path.join(home, 'tools', 'runtime', 'package.json');
  if (!fs.existsSync(runtime)) return undefined;
  const name = 'node-' + process.platform + '-' + process.arch;
  try {
    const manifest = module.createRequire(runtime).resolve(name + '/package.json');
    return path.join(path.dirname(manifest), 'bin', 'node');
  } catch {
    return undefined;
  }
}

// The inner process of a relaunch shares its launcher's fate. SIGKILL, because no exit handler may run:
// the agent goes on, and the next ralphd adopts it.
function followLauncher() {
  function die() {
    process.kill(process.pid, 'SIGKILL');
  }
  if (process.connected === false) die();
  if (!process.channel) return;
  process.on('disconnect', die);
  process.channel.unref(); // after the listener, which takes a reference of its own
}

function refuseNode() {
  refuse(
    'ralphd needs Node ' +
      needed.join('.') +
      ' or newer, and this is Node ' +
      process.versions.node +
      ': install a newer Node (https://nodejs.org) and try again.',
  );
}

// A reader that closes the pipe, as `head` does, has enough.
function reportOutputError(error) {
  if (error.code === 'EPIPE') return;
  process.stderr.write('ralphd: The result could not be written to standard output: ' + error.message + '.\n');
  process.exitCode = 1;
}

function refuse(sentence) {
  process.stderr.write(sentence + '\n');
  process.exitCode = configurationExit;
}
