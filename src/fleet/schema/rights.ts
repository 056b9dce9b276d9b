/** Whoever logs in as a member of this role can call the functions, and cannot touch a table. */
export const rights = /* sql */ `
do $$ begin
  create role ralphd_worker nologin;
exception
  when duplicate_object or unique_violation then null;
  when insufficient_privilege then raise notice 'the role ralphd_worker has to be created by an administrator';
end $$;
revoke all on all functions in schema ralphd from public;
do $$ begin
  grant usage on schema ralphd to ralphd_worker;
  grant execute on all functions in schema ralphd to ralphd_worker;
  -- Steps of others, which check who may take them.
  revoke execute on function ralphd.give(text, text, text), ralphd.discard(ralphd.loops) from ralphd_worker;
exception when undefined_object or insufficient_privilege then null;
end $$;
`;
