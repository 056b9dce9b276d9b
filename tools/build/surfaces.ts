/** The modules that a program can import from the package; each is a file of `src/` and has types and a report of its own. */
export const surfaces = ['index', 'tachikoma', 'ultraplan', 'aiwg'] as const;

/** One of the package's modules. */
export type Surface = (typeof surfaces)[number];
