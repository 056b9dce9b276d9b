import { modes } from '../modes.ts';
import { isTimeZone, parseBlackout, parseHours, parseTime, weekdays } from './schedule.ts';
import { choice, group, list, text } from './settings.ts';

/** When iterations may start. */
export const scheduleSchema = group({
  hours: text()
    .refine((hours) => parseHours(hours) !== undefined, {
      error: 'hours such as "22:00-07:00" or "09:00-12:00, 13:00-17:00"',
    })
    .optional()
    .describe('Hours in which an iteration may start, such as "22:00-07:00"; the whole day by default.'),
  days: list(choice(weekdays))
    .min(1, { error: 'a list of at least one day' })
    .optional()
    .describe('Days on which these hours begin; every day by default.'),
  blackout: list(
    text().refine((part) => parseBlackout(part) !== undefined, {
      error: 'hours such as "12:00-13:00", a date such as "2026-12-24", or two dates with "/" between them',
    }),
  )
    .default([])
    .describe('Hours, dates, and ranges of dates such as "2026-12-24/2027-01-02" in which no iteration may start.'),
  timeZone: text()
    .refine(isTimeZone, { error: 'the name of a time zone, such as "Europe/Berlin"' })
    .optional()
    .describe("Time zone of the hours and dates; the machine's own by default."),
});

const maxSwitches = 50;

/** When a loop switches to another mode. */
export const modeScheduleSchema = list(
  group({
    at: text()
      .refine((time) => parseTime(time) !== undefined, { error: 'a time such as "22:00"' })
      .describe('Time of the day at which the loop switches.'),
    mode: choice(modes).describe('Mode to switch to.'),
    days: list(choice(weekdays))
      .min(1, { error: 'a list of at least one day' })
      .optional()
      .describe('Days on which it switches; every day by default.'),
    timeZone: text()
      .refine(isTimeZone, { error: 'the name of a time zone, such as "Europe/Berlin"' })
      .optional()
      .describe("Time zone of the time; the machine's own by default."),
  }),
)
  .max(maxSwitches, { error: `a list of at most ${maxSwitches} switches` })
  .default([]);
