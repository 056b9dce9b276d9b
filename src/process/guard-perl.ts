import { proxyProgram } from './proxy-perl.ts';

/**
 * The guard of an enclosed command: the process that a keeper sees as its agent. It starts bubblewrap as its child and
 * passes signals on to the group inside, because bubblewrap itself would end everything without grace. With an allow-list
 * for the network it also starts the proxy, and starts it again when it ends; the other half runs inside, where it
 * connects ports of the enclosure's own loopback with the proxy's socket.
 *
 * - It ends as the command did: an exit code above 128 stands for a signal. What bubblewrap never ran, it did not end:
 *   then the status file says so.
 * - The program comes in a variable, which it removes: as an argument it would fill the list of processes.
 */
export const guardProgram = String.raw`
use strict;
require XSLoader;
eval { XSLoader::load('POSIX') };
POSIX->can('setsid') or require POSIX;
my @forwarded = qw(HUP INT QUIT TERM USR1 USR2 CONT);
my ($eagain, $eintr, $setfl, $nonblock) = (11, 4, 4, 2048);

# Not by $0, which would overwrite the environment that marks the process.
sub name_self {
  open my $comm, '>', '/proc/self/comm' or return;
  syswrite $comm, $_[0];
}

sub close_output {
  open STDIN, '<', '/dev/null';
  open STDOUT, '>', '/dev/null';
  open STDERR, '>', '/dev/null';
}

sub say_to {
  my ($file, $text) = @_;
  if ($file eq '') { syswrite STDERR, "ralphd: $text\n"; return }
  open my $out, '>', $file or return;
  syswrite $out, "$text\n";
}

# What ralphd was started with may be open here, and a folder among it would lead out.
sub close_inherited {
  opendir my $folder, '/proc/self/fd' or return;
  my @open = grep { /^\d+\z/ && $_ > 2 } readdir $folder;
  closedir $folder;
  POSIX::close($_) for @open;
}

# A file can be written through a descriptor that only reads it, whatever is hidden: the command gets a pipe.
sub pipe_input {
  return if !-f STDIN;
  pipe(my $out, my $in) or POSIX::_exit(126);
  fcntl $in, $setfl, $nonblock;
  my $got = sysread STDIN, my $text, 65536;
  my $put = syswrite($in, $text) // 0;
  if ($put < $got || -s STDIN > $got) { feed($in, substr $text, $put) }
  POSIX::dup2(fileno $out, 0);
}

# More than fits into a pipe needs a process that waits for its reader.
sub feed {
  my ($in, $text) = @_;
  my $child = fork;
  return if !defined $child || $child;
  fcntl $in, $setfl, 0;
  do {
    while ($text ne '') {
      my $put = syswrite $in, $text;
      POSIX::_exit(0) if !$put;
      substr $text, 0, $put, '';
    }
  } while (sysread STDIN, $text, 65536);
  POSIX::_exit(0);
}

# The keys of the login would be found in the session that the command inherits.
sub leave_keys {
  my $keyctl = { x86_64 => 250, aarch64 => 219, riscv64 => 219, ppc64le => 271, s390x => 280 }->{ (POSIX::uname())[4] };
  syscall $keyctl, 1, 0 if $keyctl;
}

# Some kinds of sockets know no network namespaces, and so lead out of any: those between a virtual machine and its host. What is
# left are local ones and those of the Internet. Another way to open sockets, and calls in another format, are closed too.
sub socket_filter {
  my ($arch, $socket) = @{ { x86_64 => [0xc000003e, 41], aarch64 => [0xc00000b7, 198], riscv64 => [0xc00000f3, 198] }->{ (POSIX::uname())[4] } || [] };
  return if !$arch;
  my ($load, $equal, $at_least, $return) = (0x20, 0x15, 0x35, 0x06);
  my @rows = (
    [$load, 0, 0, 4], [$equal, 0, 10, $arch],
    [$load, 0, 0, 0], [$at_least, 8, 0, 0x40000000], [$equal, 7, 0, 425], [$equal, 0, 7, $socket],
    [$load, 0, 0, 16], (map { [$equal, 5 - $_->[0], 0, $_->[1]] } [0, 1], [1, 2], [2, 10], [3, 16]),
    [$return, 0, 0, 0x50000 + 97], [$return, 0, 0, 0x50000 + 38], [$return, 0, 0, 0x7fff0000],
  );
  return join '', map { pack 'SCCL', @$_ } @rows;
}

# Whether a command runs inside already: a signal before that would be lost.
sub is_ready {
  my ($first) = @_;
  open my $file, '<', "/proc/$first/task/$first/children" or return 1;
  return defined scalar <$file>;
}

sub guard {
  my ($status_file, $folder, $hosts, $denied, $upstream) = splice @ARGV, 0, 5;
  my ($name, $inside, $code, $proxy, @pending) = "$$";
  close_inherited();
  pipe_input();
  pipe(my $status, my $report) && pipe(my $life, my $alive) or exit 126;
  my $deliver = sub {
    return if !@pending || !$inside || !is_ready($inside);
    @pending = grep { !kill $_, -$inside } @pending;
  };
  $SIG{$_} = sub { push @pending, shift; $deliver->() } for @forwarded;
  $SIG{CHLD} = sub {};
  my $start = sub {
    $proxy = fork;
    return if !defined $proxy || $proxy;
    $SIG{$_} = 'DEFAULT' for @forwarded;
    $SIG{$_} = 'IGNORE' for qw(HUP INT QUIT TERM USR1 USR2 PIPE);
    close $alive;
    close $status;
    close $report;
    close_output();
    eval { proxy($name, $folder, $hosts, $denied, $upstream, $life) };
    POSIX::_exit(1);
  };
  s/RALPHD_SOCKET/$name/ for @ARGV;
  if ($folder ne '') {
    $ENV{RALPHD_SANDBOX_PROGRAM} = $main::program;
    $start->();
  }
  my $bwrap = fork;
  POSIX::_exit(126) if !defined $bwrap;
  if (!$bwrap) {
    setpgrp 0, 0;
    $SIG{$_} = 'DEFAULT' for @forwarded, 'CHLD';
    POSIX::dup2(fileno $report, 9);
    leave_keys();
    if ($folder ne '' && defined(my $filter = socket_filter())) {
      pipe(my $out, my $in) or POSIX::_exit(126);
      syswrite $in, $filter;
      splice @ARGV, 1, 0, '--seccomp', POSIX::dup(fileno $out);
    }
    exec { $ARGV[0] } @ARGV;
    POSIX::_exit(127);
  }
  name_self('ralphd-sandbox');
  close $report;
  close_output();
  my $text = '';
  while (1) {
    vec(my $bits = '', fileno $status, 1) = 1;
    my $count = select $bits, undef, undef, @pending ? 0.005 : 3600;
    $deliver->();
    if ($proxy && waitpid($proxy, 1) == $proxy) { $start->() }
    next if $count <= 0;
    my $got = sysread $status, $text, 4096, length $text;
    next if !defined $got;
    last if !$got;
    $inside ||= $1 if $text =~ /"child-pid": (\d+)/;
    $code = $1 if $text =~ /"exit-code": (\d+)/;
    $deliver->();
  }
  1 while waitpid($bwrap, 0) == -1 && $! == $eintr;
  my $signal = $? & 127;
  close $alive;
  unlink "$folder/$name" if $folder ne '';
  if (!defined $code && !$signal) {
    say_to($status_file, 'not set up');
    POSIX::_exit(126);
  }
  $signal ||= $code - 128 if defined $code && grep { $_ == $code - 128 } 1, 2, 9, 10, 12, 13, 14, 15;
  POSIX::_exit($code) if !$signal;
  $SIG{$_} = 'DEFAULT' for @forwarded, qw(PIPE ALRM);
  kill $signal, $$;
  sleep 1;
  POSIX::_exit(128 + $signal);
}

${proxyProgram}
# The other half: ports of the enclosure's own loopback lead to the proxy.
sub inside {
  my ($socket, $ports) = splice @ARGV, 0, 2;
  require Socket;
  my %target;
  for (split ' ', $ports) {
    my ($port, $goal) = split /=/, $_, 2;
    socket(my $server, Socket::AF_INET(), Socket::SOCK_STREAM(), 0) or POSIX::_exit(126);
    setsockopt $server, Socket::SOL_SOCKET(), Socket::SO_REUSEADDR(), 1;
    if (!bind $server, Socket::pack_sockaddr_in($port, Socket::inet_aton('127.0.0.1'))) {
      syswrite STDERR, "port $port of the sandbox cannot be used: $!\n";
      POSIX::_exit(126);
    }
    listen $server, 128;
    $target{fileno $server} = [$server, $goal];
  }
  my $child = fork;
  if (!$child) {
    POSIX::_exit(0) if fork;
    POSIX::setsid();
    close_output();
    name_self('ralphd-network');
    $SIG{CHLD} = 'IGNORE';
    forward($socket, \%target);
  }
  waitpid $child, 0;
  close $_->[0] for values %target;
  exec { $ARGV[0] } @ARGV;
  syswrite STDERR, "$ARGV[0]: $!\n";
  POSIX::_exit($! == 2 ? 127 : 126);
}

sub forward {
  my ($socket, $target) = @_;
  while (1) {
    my $bits = '';
    vec($bits, $_, 1) = 1 for keys %$target;
    next if select($bits, undef, undef, undef) < 0;
    for my $number (grep { vec $bits, $_, 1 } keys %$target) {
      my ($server, $goal) = @{ $target->{$number} };
      accept my $near, $server or next;
      my $child = fork;
      next if !defined $child || $child;
      POSIX::_exit(0) if !socket my $far, Socket::AF_UNIX(), Socket::SOCK_STREAM(), 0;
      # Right after a proxy was ended, the next one is not there yet.
      my $tries = 100;
      select undef, undef, undef, 0.02 until connect($far, Socket::pack_sockaddr_un($socket)) || !$tries--;
      POSIX::_exit(0) if $tries < 0;
      tunnel($far, $goal) if $goal ne '';
      relay($near, $far);
      POSIX::_exit(0);
    }
  }
}

sub tunnel {
  my ($far, $goal) = @_;
  syswrite $far, "CONNECT $goal HTTP/1.1\r\n\r\n";
  my $head = '';
  until ($head =~ /\r\n\r\n\z/) { POSIX::_exit(0) if !sysread $far, $head, 1, length $head }
  POSIX::_exit(0) if $head !~ m{\AHTTP/1\.1 200};
}

$ARGV[0] eq 'inside' ? (shift @ARGV, inside()) : (shift @ARGV, guard());
`;
