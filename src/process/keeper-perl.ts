/** The number of `prctl`, which has no name in perl. */
const adopting: Partial<Record<NodeJS.Architecture, number>> =
  process.platform === 'linux' ? { x64: 157, arm64: 167, riscv64: 167, loong64: 167, ppc64: 171, s390x: 172 } : {};

/**
 * The keeper of a loop: one small process for all of its agents, which outlives ralphd. It is told of an attempt over its
 * line when that is due, and knows nothing of it before. It starts the agent at most once, pumps what it prints into the
 * spools, records how it ended, and ends it at its deadline when no ralphd does.
 *
 * It takes its program from standard input, so that neither the list of processes nor a file contains it, and uses
 * nothing beyond what the smallest perl of Debian and macOS has. Loading all of POSIX would take longer than all the rest.
 *
 * - Files have no buffers: everything is read and written whole.
 * - Given: 3, a line to ralphd, and 4, where the output of a command goes. When the line ends while an agent works, nobody
 *   watches it: then its deadline counts.
 * - A signal of a child may arrive just before the wait begins, and perl then notices it late: no wait is long while an
 *   agent works. Usually the end of its output comes first.
 * - An agent can write into the folder of its attempt: a file that is there already was not written by this keeper.
 * - Its permit is an instant, not a time from now: whoever was frozen between hearing of it and handing it on would
 *   otherwise grant more than was given. Agents that have left its group are stopped only when they are killed.
 * - It reads what an agent prints from its descriptors 0 and 1, so that whoever still writes there can be found.
 * - Linux gives it the orphans of its agents, whatever they did to leave them: when it has no child at all, nothing is left.
 * - Once an agent without a ralphd has ended, whoever still prints is left to a copy: the end of this process tells the
 *   next ralphd that the record is complete.
 */
export const perlProgram = String.raw`
use strict;
my $prctl = ${adopting[process.arch] ?? 0};
BEGIN { ${'${^OPEN}'} = ":unix\0:unix" }
$SIG{$_} = 'IGNORE' for qw(HUP INT QUIT TERM PIPE);
$SIG{CHLD} = sub {};
require XSLoader;
eval { XSLoader::load('POSIX') };
POSIX->can('setsid') or require POSIX;
my $umask = umask 077;
open(my $line, '+<&=', 3) or exit 1;
my ($set_flags, $close_on_exec) = (2, 1);
open(my $output, '+<&=', 4) or exit 1;
fcntl $_, $set_flags, $close_on_exec for $line, $output;
if (open my $comm, '>', '/proc/self/comm') { syswrite $comm, 'ralphd-keeper' }
my ($eintr, $wnohang, $longest, $patience) = (4, 1, 0.25, 120);
my ($connected, $received, $run) = (1, '');
# On a kernel that refuses this number, whoever leaves the agent's tree is looked for among all processes.
my ($adopt_orphans, $adopts) = (36);
$adopts = $prctl && syscall($prctl, $adopt_orphans, 1, 0, 0, 0) == 0;
open my $nothing, '+<', '/dev/null' or exit 1;
open $_, '<&', $nothing for \*STDIN, \*STDOUT;
my $own_start = start_of($$);

sub answer { syswrite $line, "@_\n" if $connected }

sub start_of {
  my ($pid) = @_;
  if (open my $file, '<', "/proc/$pid/stat") {
    sysread $file, my $stat, 4096;
    return (split ' ', substr $stat, rindex($stat, ')') + 2)[19];
  }
  my $start = qx(LC_ALL=C TZ=UTC /bin/ps -o lstart= -p $pid);
  $start =~ s/\s+\z//;
  return $start;
}

sub uptime {
  open my $file, '<', '/proc/uptime' or return time;
  sysread $file, my $text, 64;
  return (split ' ', $text)[0];
}

sub record {
  my ($name, $text) = @_;
  my ($file, $other) = ("$run->{folder}/$name", "$run->{folder}/$name.$$");
  if (sysopen my $new, $file, $run->{create}) { return syswrite $new, $text }
  unlink $other;
  sysopen my $new, $other, $run->{create} or return;
  syswrite $new, $text;
  rename $other, $file;
}

sub begin {
  my %new;
  @new{qw(folder stdin marker host boot signal grace deadline loss room keep cwd create append permit variables)} = splice @_, 0, 16;
  my @variables = splice @_, 0, $new{variables};
  my @files = map { { from => $_, room => $new{room} } } \*STDIN, \*STDOUT;
  open(my $prompt, '<', $new{stdin})
    && sysopen($files[0]{to}, "$new{folder}/stdout", $new{append})
    && sysopen($files[1]{to}, "$new{folder}/stderr", $new{append})
    or return answer('failed', 'files', $! + 0);
  sysopen my $started, "$new{folder}/started", $new{create} or return answer('refused');
  syswrite $started, qq({"host":"$new{host}","bootId":"$new{boot}","pid":$$,"startTime":"$own_start"}\n);
  $new{since} = uptime();
  answer('keeper', $$, $own_start);
  my @ends;
  for my $pump (@files) {
    my ($from, $end);
    pipe($from, $end) && take($from, $pump->{from}) or return answer('failed', 'files', $! + 0);
    $pump->{open} = 1;
    push @ends, $end;
  }
  pipe(my $failed, my $fails) or return answer('failed', 'files', $! + 0);
  my $pid = fork;
  defined $pid or return answer('failed', 'files', $! + 0);
  if (!$pid) {
    become_agent(\%new, [$prompt, @ends], \@variables, @_);
    syswrite $fails, $new{problem};
    POSIX::_exit(127);
  }
  close $_ for @ends, $fails, $prompt;
  my $problem = '';
  1 while !defined(sysread $failed, $problem, 64) && $! == $eintr;
  if ($problem ne '') {
    waitpid $pid, 0;
    return answer('failed', $problem);
  }
  $run = { %new, pid => $pid, group => $pid, pumps => \@files, wait => 0.001, stopped_at => 0 };
  my $agent_start = start_of($pid);
  answer('agent', $pid, $agent_start);
  syswrite $started, qq({"pid":$pid,"startTime":"$agent_start"}\n);
}

# A file takes the number of another: one call, where perl's own way needs four.
sub take { return POSIX::dup2(fileno $_[0], fileno $_[1]) }

sub become_agent {
  my ($new, $ends, $variables, @command) = @_;
  my ($prompt, $out, $err) = @$ends;
  POSIX::setsid();
  $new->{problem} = 'directory ';
  if (take($prompt, \*STDIN) && take($out, \*STDOUT) && take($err, \*STDERR) && chdir $new->{cwd}) {
    umask $umask;
    $SIG{$_} = 'DEFAULT' for qw(HUP INT QUIT TERM PIPE CHLD);
    %ENV = map { split /=/, $_, 2 } @$variables;
    $new->{problem} = 'command ';
    exec { $command[0] } @command;
  }
  $new->{problem} .= $! + 0;
}

sub put {
  my ($bytes) = @_;
  for (my $at = 0; $at < length $bytes;) {
    my $put = syswrite $output, $bytes, length($bytes) - $at, $at;
    next if !defined $put && $! == $eintr;
    return if !$put;
    $at += $put;
  }
  return 1;
}

sub run_errand {
  my ($token, $cwd, $count, @command) = @_;
  my @variables = splice @command, 0, $count;
  my ($pid, $status) = (0, 255);
  put("\0$token\n") or return;
  if (pipe(my $from, my $to)) {
    $pid = fork;
    defined $pid or return put("\0$token 0 255 0\n");
    if (!$pid) {
      become_agent({ cwd => $cwd }, [$nothing, $to, $nothing], \@variables, @command);
      POSIX::_exit(127);
    }
    close $to;
    my ($ended, $quiet) = (0, 0);
    while (!$ended || !$quiet) {
      my $bits = '';
      vec($bits, fileno $from, 1) = 1;
      my $count = select $bits, undef, undef, $longest;
      ($ended, $status) = (1, $?) if !$ended && waitpid($pid, $wnohang) == $pid;
      $quiet = $count == 0;
      next if $count <= 0;
      my $got = sysread $from, my $bytes, 131072;
      last if defined $got && !$got;
      put($bytes) or kill 'KILL', -$pid if $got;
    }
    while (!$ended) { ($ended, $status) = (1, $?) if waitpid($pid, 0) == $pid }
  }
  put("\0$token $pid $status " . is_alone() . "\n");
}

sub receive {
  my $got = sysread $line, $received, 65536, length $received;
  return if !defined $got && $! == $eintr;
  if (!$got) {
    $connected = 0;
    close $line;
    leave_rest() if $run && !$run->{pid};
    return;
  }
  while ($received =~ /\A(\d+)\n/ && length $received >= $+[0] + $1) {
    my $orders = substr $received, $+[0], $1;
    substr $received, 0, $+[0] + $1, '';
    my @fields = split /\0/, $orders, -1;
    $fields[0] eq 'errand' ? run_errand(@fields[1 .. $#fields]) : begin(@fields);
  }
}

sub shut {
  my ($pump) = @_;
  # A number that were free would be taken by the next file.
  take($nothing, $pump->{from});
  close $pump->{to};
  $pump->{open} = 0;
}

sub carry {
  my ($pump) = @_;
  my $got = sysread $pump->{from}, my $bytes, 131072;
  return if !defined $got && $! == $eintr;
  return shut($pump) if !$got;
  $bytes = substr $bytes, 0, $pump->{room} if $pump->{room} ne '' && $got > $pump->{room};
  for (my $at = 0; $at < length $bytes;) {
    my $put = syswrite $pump->{to}, $bytes, length($bytes) - $at, $at;
    next if !defined $put && $! == $eintr;
    return shut($pump) if !$put;
    $at += $put;
  }
  return if $pump->{room} eq '';
  $pump->{room} -= length $bytes;
  shut($pump) if $pump->{room} <= 0;
}

# Collects what has ended, and its orphans with it: 1 when nothing is left that this keeper or its agents started.
sub is_alone {
  my $pid;
  while (($pid = waitpid -1, $wnohang) > 0) {
    $run->{status} = $? if $run && $run->{pid} && $pid == $run->{pid};
  }
  return $adopts && $pid == -1 ? 1 : 0;
}

sub reap {
  my $alone = is_alone();
  return if !$run || !$run->{pid} || !defined $run->{status};
  my ($signal, $code) = ($run->{status} & 127, $run->{status} >> 8);
  delete $run->{pid};
  my $end = $signal ? "signal $signal" : "exited $code";
  answer($adopts ? $alone ? "left nothing\n$end" : "left orphans\n$end" : $end);
  record('exit', "$end\n");
  leave_rest() if !$connected;
}

sub enforce {
  my $now = uptime();
  if (!$run->{why}) {
    return if $run->{loss} ne 'end' && (!$run->{deadline} || $now < $run->{since} + $run->{deadline});
    $run->{why} = $run->{loss} eq 'end' ? 'loss' : 'deadline';
    $run->{kill_at} = $now + $run->{grace};
    record('overdue', "$run->{why}\n");
    kill $_, -$run->{group} for $run->{signal}, 'CONT';
  } elsif ($now >= $run->{kill_at}) {
    record('overdue', "$run->{why} forced\n");
    kill 'KILL', -$run->{group};
    $run->{kill_at} = $now + 86400;
  }
}

sub permitted_until {
  open my $file, '<', $run->{permit} or return 0;
  my $text = <$file> // '';
  return $text =~ /\A(\d+(?:\.\d+)?)\n/ ? $1 : 0;
}

sub obey_permit {
  my ($until, $now) = (permitted_until(), uptime());
  if ($now < $until) {
    kill 'CONT', -$run->{group} if $run->{stopped_at};
    $run->{stopped_at} = 0;
  } elsif (!$until || ($run->{stopped_at} && !$connected && $now > $run->{stopped_at} + $patience)) {
    record('overdue', "permit forced\n");
    kill 'KILL', -$run->{group};
    sweep();
  } elsif (!$run->{stopped_at}) {
    kill 'STOP', -$run->{group};
    $run->{stopped_at} = $now;
  }
}

sub sweep {
  my %keep = map { $_ => 1 } split m{/}, $run->{keep};
  for (1 .. 50) {
    my $found = 0;
    opendir my $proc, '/proc' or return;
    for my $pid (grep { /^\d+\z/ && $_ != $$ } readdir $proc) {
      open my $environ, '<', "/proc/$pid/environ" or next;
      local $/;
      (<$environ> // '') =~ /(?:^|\0)RALPHD_ATTEMPT=(?:[^\0]*,)?\Q$run->{marker}\E[,\0]/ or next;
      open my $comm, '<', "/proc/$pid/comm" or next;
      my ($name) = (<$comm> // '') =~ /\A(.*)\n/;
      next if defined $name && $keep{$name};
      $found += kill 'KILL', $pid;
    }
    return if !$found;
    select undef, undef, undef, 0.01;
  }
}

sub leave_rest {
  kill 'KILL', -$run->{group} if $run->{keep} eq '';
  sweep();
  $run->{alone} = 1;
}

sub wait_for {
  my @pumps = $run ? grep { $_->{open} } @{ $run->{pumps} } : ();
  my $bits = '';
  vec($bits, fileno $line, 1) = 1 if $connected;
  vec($bits, fileno $_->{from}, 1) = 1 for @pumps;
  my $longest_now = !$run ? undef : $run->{pid} ? (@pumps ? $longest : $run->{wait}) : $run->{alone} ? 0.1 : undef;
  $run->{wait} = $run->{wait} * 2 > $longest ? $longest : $run->{wait} * 2 if $run && !@pumps;
  my $count = select my $ready = $bits, undef, undef, $longest_now;
  if ($count > 0) {
    carry($_) for grep { vec $ready, fileno $_->{from}, 1 } @pumps;
    receive() if $connected && vec $ready, fileno $line, 1;
  }
  return $count == 0;
}

answer('ready');
while ($connected || $run) {
  my $quiet = wait_for();
  reap();
  next if !$run;
  enforce() if $run->{pid} && !$connected;
  obey_permit() if $run->{pid} && $run->{permit} ne '';
  next if $run->{pid};
  if (!grep { $_->{open} } @{ $run->{pumps} }) {
    undef $run;
    answer('dry');
  } elsif ($run->{alone} && $quiet) {
    exit if fork;
    $run->{alone} = 0;
  }
}
`;
