import type { Duplex } from 'node:stream';
import { type ProcessIdentity, thisMachine } from './identity.ts';

/** What a keeper says on its line; what it never gets to say never comes. */
export interface KeeperLine {
  /** It waits for the word. */
  readonly keeper: Promise<ProcessIdentity>;
  /** Both outputs are pumped. */
  readonly pumps: readonly [Promise<ProcessIdentity>, Promise<ProcessIdentity>];
  readonly agent: Promise<ProcessIdentity>;
  readonly exit: Promise<number>;
}

/** Listens to a keeper. */
export function listen(line: Duplex): KeeperLine {
  const [keeper, agent] = [Promise.withResolvers<ProcessIdentity>(), Promise.withResolvers<ProcessIdentity>()];
  const pumps = [Promise.withResolvers<ProcessIdentity>(), Promise.withResolvers<ProcessIdentity>()] as const;
  const exit = Promise.withResolvers<number>();
  const silentPumps = [...pumps];
  let rest = '';
  line.setEncoding('utf8').on('data', (text: string) => {
    const lines = `${rest}${text}`.split('\n');
    rest = lines.pop() ?? '';
    for (const each of lines) {
      const [, word, number, startTime = ''] = /^(\w+) (\d+) ?(.*)$/.exec(each) ?? [];
      const identity = { ...thisMachine(), pid: Number(number), startTime };
      if (word === 'keeper') keeper.resolve(identity);
      if (word === 'pump') silentPumps.pop()?.resolve(identity);
      if (word === 'agent') agent.resolve(identity);
      if (word !== 'exit') continue;
      // Whatever is left now is ralphd's to end: the keeper can go while ralphd is looking for it.
      line.write('mine\n');
      exit.resolve(Number(number));
    }
  });
  return {
    keeper: keeper.promise,
    pumps: [pumps[0].promise, pumps[1].promise],
    agent: agent.promise,
    exit: exit.promise,
  };
}
