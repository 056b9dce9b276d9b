declare const __RALPHD_VERSION__: string | undefined;

/** The version of this package; `development` when it runs from its sources. */
export const version = typeof __RALPHD_VERSION__ === 'string' ? __RALPHD_VERSION__ : 'development';
