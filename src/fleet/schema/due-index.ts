/** Idle workers ask once a second whether anything is due: that must not cost more with every loop that waits. */
export const dueIndex = /* sql */ `
create index on ralphd.loops ((coalesce(wake_at, '-infinity'::timestamptz))) where owner is null and status = 'queued';
`;
