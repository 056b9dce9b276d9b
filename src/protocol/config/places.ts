/** Where loops are, unless a setting says otherwise. */
export const defaultPlaces = { workingDir: '.', stateDir: '.ralph' } as const;
