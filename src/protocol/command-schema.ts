import * as z from 'zod';
import { argumentOf, maxGuidanceLength, maxSenderName, offeredCommands, senderFaces } from './commands.ts';
import { breakpointWords, maxEditedPromptLength, maxNoteLength, modes, noteKinds, switchMoments } from './modes.ts';

/** The arguments of commands, by what a command takes. */
export const commandArguments = {
  now: { now: z.boolean().optional() },
  guidance: { text: z.string().max(maxGuidanceLength), once: z.boolean().optional() },
  number: { number: z.int().positive().optional() },
  text: { text: z.string().max(maxGuidanceLength) },
  signal: { signal: z.string() },
  prompt: { text: z.string().max(maxEditedPromptLength).optional() },
  mode: { mode: z.enum(modes), when: z.enum(switchMoments).optional() },
  note: { kind: z.enum(noteKinds), text: z.string().max(maxNoteLength) },
  breakpoint: {
    breakpoint: z.union([z.int().positive(), z.enum(breakpointWords)]),
    remove: z.boolean().optional(),
  },
} as const;

let made: ReturnType<typeof makeSchema> | undefined;

/** A command that anyone may send to a loop. */
export function commandSchema(): ReturnType<typeof makeSchema> {
  // Most loops never get one.
  return (made ??= makeSchema());
}

function makeSchema() {
  const id = z.string().min(1).max(100);
  const name = z.string().max(maxSenderName);
  const sender = z.strictObject({
    user: name.optional(),
    host: name,
    pid: z.int().nonnegative(),
    face: z.enum(senderFaces),
  });
  return z.union(
    offeredCommands.map((command) => {
      const takes = argumentOf(command);
      const argument = takes === undefined ? {} : commandArguments[takes];
      return z.strictObject({ id, command: z.literal(command), sender: sender.optional(), ...argument });
    }),
  );
}
