import { formatDuration, roughDuration } from '../../base/index.ts';
import { type Limit, limits } from '../../protocol/index.ts';

/** A setting and the value to raise it to. */
export interface Raised {
  readonly setting: string;
  readonly to: number;
}

/** What is left until a limit is reached. */
export function leftText({ unit, one, many }: Limit, amount: number): string {
  if (unit === 'time') return `another ${roughDuration(amount)} of ${many}`;
  if (unit === 'money') return `another $${amount.toFixed(2)}`;
  return amount === 1 ? `1 more ${one}` : `${amount} more ${many}`;
}

/** The options that raise limits, as typed on a command line. */
export function raiseOptions(raise: readonly Raised[]): readonly string[] {
  return raise.flatMap(({ setting, to }) => {
    const limit = limits.find((each) => each.setting === setting);
    return limit === undefined ? [] : [`--${limit.option} ${optionValue(limit, to)}`];
  });
}

/** Rounded up to a value that a person would type. */
function optionValue({ unit }: Limit, amount: number): string {
  if (unit === 'time') return `"${formatDuration(Math.ceil(amount / 120_000) * 120_000)}"`;
  return String(unit === 'money' ? Math.ceil(amount * 100 - 0.001) / 100 : amount);
}
