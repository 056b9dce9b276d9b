import { Broken } from './play.ts';
import type { Stage } from './stage.ts';

/** A file that two processes write at the same time. */
export interface Contested {
  readonly folder: string;
  readonly name: string;
  readonly texts: readonly [string, string];
}

/** The second process does all its work just before the first one's rename. */
export function putTogether(stage: Stage, { folder, name, texts }: Contested): void {
  const [first, second] = texts;
  let isFirstDone = false;
  let isSecondDone: boolean | undefined;
  stage.underWay = [first];
  const writeSecond = () => {
    isSecondDone = stage.put(folder, name, second);
    stage.underWay = [];
  };
  stage.meanwhile('rename', writeSecond, () => (isFirstDone = stage.put(folder, name, first)));
  if (!isFirstDone && isSecondDone === false) throw new Broken('two writers refused each other');
}
