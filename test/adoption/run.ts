import { runStorm } from '../support/storms.ts';
import { adoptionStorm } from './storm.ts';

/*
 * Kills a real ralphd in the middle of its iterations and lets the next one adopt the running agent: `npm run adoption`.
 *   npm run adoption -- --kills 30 --seed 7
 */
await runStorm(30, async (options) => {
  const { blows, iterations, adopted, lost, acknowledged, violations } = await adoptionStorm(options);
  const runs = `${adopted} runs adopted, ${lost} lost with their keeper`;
  const summary = `${iterations} iterations, ${runs}, ${acknowledged} facts acknowledged`;
  return { table: blows, summary, violations };
});
