/** Every command of the command line with its options. */
export async function commandsPage(): Promise<string | undefined> {
  return undefined;
}
