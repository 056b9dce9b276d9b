/**
 * The guard of an enclosed command: the process that a keeper sees as its agent. It starts bubblewrap as its child and
 * passes signals on to the group inside, because bubblewrap itself would end everything without grace. With an allow-list
 * for the network it also starts the proxy, and starts it again when it ends; the other half runs inside, where it
 * connects ports of the enclosure's own loopback with the proxy's socket.
 *
 * - It ends as the command did: an exit code above 128 stands for a signal. What bubblewrap never ran, it did not end:
 *   then the status file says so.
 * - The program comes in a variable, which it removes: as an argument it would fill the list of processes.
 * - The proxy takes one connection per process. It reads only as much as it has written.
 */
export const guardProgram = String.raw`
use strict;
require XSLoader;
eval { XSLoader::load('POSIX') };
POSIX->can('setsid') or require POSIX;
my @forwarded = qw(HUP INT QUIT TERM USR1 USR2 CONT);
my ($eagain, $eintr) = (11, 4);

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

# Whether a command runs inside already: a signal before that would be lost.
sub is_ready {
  my ($first) = @_;
  open my $file, '<', "/proc/$first/task/$first/children" or return 1;
  return defined scalar <$file>;
}

sub guard {
  my ($status_file, $folder, $hosts, $denied, $upstream) = splice @ARGV, 0, 5;
  my ($name, $inside, $code, $proxy, @pending) = "$$";
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

# Carries bytes both ways until both have ended.
sub relay {
  my ($one, $other, $life) = @_;
  my %to = (fileno($one) => $other, fileno($other) => $one);
  my %from = map { fileno $_ => $_ } $one, $other;
  my %open = map { $_ => 1 } keys %from;
  my %held = map { $_ => '' } keys %from;
  while (%open) {
    my ($reads, $writes) = ('', '');
    for (keys %open) { vec($held{$_} eq '' ? $reads : $writes, $held{$_} eq '' ? $_ : fileno $to{$_}, 1) = 1 }
    vec($reads, fileno $life, 1) = 1 if $life;
    my $count = select $reads, $writes, undef, undef;
    next if $count < 0;
    return if $life && vec $reads, fileno $life, 1;
    for my $number (keys %open) {
      if ($held{$number} eq '') {
        next if !vec $reads, $number, 1;
        my $got = sysread $from{$number}, $held{$number}, 65536;
        next if !defined $got && $! == $eintr;
        next if $got;
        shutdown $to{$number}, 1;
        delete $open{$number};
      } elsif (vec $writes, fileno $to{$number}, 1) {
        my $put = syswrite $to{$number}, $held{$number};
        next if !defined $put && ($! == $eintr || $! == $eagain);
        return if !$put;
        substr $held{$number}, 0, $put, '';
      }
    }
  }
}

sub is_listed {
  my ($host, $port, $hosts) = @_;
  for (split ' ', $hosts) {
    my ($name, $own) = /^(\[.*\]|[^:]*)(?::(\d+))?\z/ or next;
    next if defined $own ? $port != $own : $port != 80 && $port != 443;
    return 1 if $name eq $host;
    return 1 if $name =~ s/^\*(?=\.)// && length $host > length $name && substr($host, -length $name) eq $name;
  }
  return 0;
}

# A name that leads to this machine itself is not what its owner listed, unless it says so.
sub is_own {
  my ($host, $address) = @_;
  return 0 if $host eq 'localhost' || $host =~ /^[\d.]+\z/ || $host =~ /^\[/;
  my ($family) = Socket::sockaddr_family($address);
  if ($family == Socket::AF_INET()) {
    my ($first, $second) = unpack 'CC', (Socket::unpack_sockaddr_in($address))[1];
    return $first == 0 || $first == 127 || ($first == 169 && $second == 254);
  }
  my $bytes = (Socket::unpack_sockaddr_in6($address))[1];
  return 1 if substr($bytes, 0, 10) eq "\0" x 10;
  return (unpack('n', $bytes) & 0xffc0) == 0xfe80;
}

sub reach {
  my ($host, $port) = @_;
  (my $bare = $host) =~ s/^\[(.*)\]\z/$1/;
  my ($error, @found) = Socket::getaddrinfo($bare, $port, { socktype => Socket::SOCK_STREAM() });
  return if $error;
  for my $each (@found) {
    next if is_own($host, $each->{addr});
    socket(my $far, $each->{family}, Socket::SOCK_STREAM(), 0) or next;
    local $SIG{ALRM} = sub { close $far };
    alarm 15;
    my $done = connect $far, $each->{addr};
    alarm 0;
    return $far if $done;
  }
  return;
}

sub refuse {
  my ($near, $line, $text) = @_;
  syswrite $near, "HTTP/1.1 $line\r\nContent-Type: text/plain\r\nConnection: close\r\nContent-Length: "
    . (1 + length $text) . "\r\n\r\n$text\n";
}

sub serve {
  my ($near, $hosts, $denied, $upstream, $life) = @_;
  my $head = '';
  alarm 60;
  until ($head =~ /\r?\n\r?\n/) {
    return if length $head > 65536;
    my $got = sysread $near, $head, 8192, length $head;
    return if !$got;
  }
  alarm 0;
  my ($method, $target, $rest) = $head =~ m{\A(\S+) (\S+) (HTTP/1\.[01]\r?\n.*)\z}s
    or return refuse($near, '400 Bad Request', 'ralphd: not an HTTP request');
  my $is_tunnel = $method eq 'CONNECT';
  my ($host, $port, $path) = $is_tunnel
    ? $target =~ m{\A(\[[0-9A-Fa-f:.]+\]|[^:/]+):(\d+)()\z}
    : $target =~ m{\Ahttp://(?:[^/@]*@)?(\[[0-9A-Fa-f:.]+\]|[^:/?]+)(?::(\d+))?(.*)\z}s;
  return refuse($near, '400 Bad Request', 'ralphd: not an address') if !defined $host;
  $port ||= 80;
  $host = lc $host;
  $host =~ s/\.\z//;
  if (!is_listed($host, $port, $hosts)) {
    if (sysopen my $file, $denied, 02001 | 0100, 0600) { syswrite $file, "$host:$port\n" if -s $file < 65536 }
    return refuse($near, '403 Forbidden', "ralphd: $host:$port is not in the allow-list of this loop (setting: network)");
  }
  # A proxy of the user's does not lead to this machine.
  $upstream = '' if $host eq 'localhost' || $host eq '[::1]' || $host =~ /^127\.[\d.]+\z/;
  my ($up_host, $up_port, $key) = split ' ', $upstream;
  my $far = $upstream ne '' ? reach($up_host, $up_port) : reach($host, $port);
  return refuse($near, '502 Bad Gateway', "ralphd: $host:$port cannot be reached") if !$far;
  if ($upstream ne '') {
    my $login = defined $key ? "Proxy-Authorization: Basic $key\r\n" : '';
    $head =~ s/\A(.*?\r?\n)/$1$login/s;
    syswrite $far, $head;
  } elsif ($is_tunnel) {
    $head =~ s/\A.*?\r?\n\r?\n//s;
    syswrite $near, "HTTP/1.1 200 Connection established\r\n\r\n";
    syswrite $far, $head if $head ne '';
  } else {
    $path = "/$path" if $path !~ m{^/};
    $rest =~ s/^(?:Proxy-)?Connection:[^\n]*\n//gim;
    $rest =~ s/\r?\n/\r\nConnection: close\r\n/;
    syswrite $far, "$method $path $rest";
  }
  relay($near, $far, $life);
}

sub proxy {
  my ($name, $folder, $hosts, $denied, $upstream, $life) = @_;
  name_self('ralphd-proxy');
  require Socket;
  # Relative, because the path of a socket may have 107 bytes at most.
  chdir $folder or return;
  socket(my $server, Socket::AF_UNIX(), Socket::SOCK_STREAM(), 0) or return;
  unlink "$name.new";
  umask 077;
  bind $server, Socket::pack_sockaddr_un("$name.new") or return;
  listen $server, 128 or return;
  rename "$name.new", $name or return;
  $SIG{CHLD} = 'IGNORE';
  while (1) {
    my $bits = '';
    vec($bits, fileno $_, 1) = 1 for $server, $life;
    next if select($bits, undef, undef, undef) < 0;
    return if vec $bits, fileno $life, 1;
    accept my $near, $server or next;
    my $child = fork;
    next if !defined $child || $child;
    close $server;
    $SIG{ALRM} = sub { POSIX::_exit(0) };
    eval { serve($near, $hosts, $denied, $upstream, $life) };
    POSIX::_exit(0);
  }
}

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
