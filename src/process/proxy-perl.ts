/**
 * The proxy of an enclosed command, a part of the guard's program. It takes one connection per process, and reads only as much as
 * it has written. What it passes on it has understood whole: a request that a server or another proxy could read differently
 * would lead past the list.
 */
export const proxyProgram = String.raw`
# Carries bytes both ways until both have ended; of the first no more than a limit, if there is one.
sub relay {
  my ($one, $other, $life, $limit) = @_;
  my %to = (fileno($one) => $other, fileno($other) => $one);
  my %from = map { fileno $_ => $_ } $one, $other;
  my %open = map { $_ => 1 } keys %from;
  my %held = map { $_ => '' } keys %from;
  my %left = defined $limit ? (fileno($one) => $limit) : ();
  delete $open{fileno $one} if defined $limit && !$limit;
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
        my $size = defined $left{$number} && $left{$number} < 65536 ? $left{$number} : 65536;
        my $got = sysread $from{$number}, $held{$number}, $size;
        next if !defined $got && $! == $eintr;
        $left{$number} -= $got if $got && defined $left{$number};
        next if $got;
        shutdown $to{$number}, 1;
        delete $open{$number};
      } elsif (vec $writes, fileno $to{$number}, 1) {
        my $put = syswrite $to{$number}, $held{$number};
        next if !defined $put && ($! == $eintr || $! == $eagain);
        return if !$put;
        substr $held{$number}, 0, $put, '';
        delete $open{$number} if $held{$number} eq '' && defined $left{$number} && !$left{$number};
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
    return $far if $done && !is_itself($host, $far);
  }
  return;
}

# Whoever answers at the address that the question came from is this machine, by another of its addresses.
sub is_itself {
  my ($host, $far) = @_;
  return 0 if $host eq 'localhost' || $host =~ /^[\d.]+\z/ || $host =~ /^\[/;
  my ($own, $peer) = map {
    Socket::sockaddr_family($_) == Socket::AF_INET() ? (Socket::unpack_sockaddr_in($_))[1] : (Socket::unpack_sockaddr_in6($_))[1]
  } getsockname $far, getpeername $far;
  return $own eq $peer;
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
  until ($head =~ /\n\r?\n/) {
    return if length $head > 65536;
    my $got = sysread $near, $head, 8192, length $head;
    return if !$got;
  }
  alarm 0;
  my ($method, $target, $version, $fields, $body) = parse($head)
    or return refuse($near, '400 Bad Request', 'ralphd: not an HTTP request');
  my $name = '\[[0-9A-Fa-f:.]+\]|[0-9A-Za-z._-]+';
  my $is_tunnel = $method eq 'CONNECT';
  my ($host, $port, $path) = $is_tunnel
    ? $target =~ m{\A($name):(\d{1,5})()\z}
    : $target =~ m{\Ahttp://(?:[^/?#\@]*\@)?($name)(?::(\d{1,5}))?((?:[/?][^#]*)?)\z}i;
  return refuse($near, '400 Bad Request', 'ralphd: not an address') if !defined $host;
  $port ||= 80;
  $host = lc $host;
  $host =~ s/\.\z//;
  if (!is_listed($host, $port, $hosts)) {
    if (sysopen my $file, $denied, 02001 | 0100, 0600) { syswrite $file, "$host:$port\n" if -s $file < 65536 }
    return refuse($near, '403 Forbidden', "ralphd: $host:$port is not in the allow-list of this loop (setting: network)");
  }
  my $length = $is_tunnel ? undef : length_of(@$fields);
  return refuse($near, '411 Length Required', 'ralphd: without TLS, a request must say how long it is') if !$is_tunnel && !defined $length;
  # A proxy of the user's does not lead to this machine.
  $upstream = '' if $host eq 'localhost' || $host eq '[::1]' || $host =~ /^127\.[\d.]+\z/;
  my ($up_host, $up_port, $key) = split ' ', $upstream;
  my $login = defined $key ? "Proxy-Authorization: Basic $key\r\n" : '';
  my $far = $upstream ne '' ? reach($up_host, $up_port) : reach($host, $port);
  return refuse($near, '502 Bad Gateway', "ralphd: $host:$port cannot be reached") if !$far;
  if ($is_tunnel) {
    if ($upstream ne '') {
      syswrite $far, "CONNECT $host:$port HTTP/1.1\r\nHost: $host:$port\r\n$login\r\n";
      my $answer = '';
      until ($answer =~ /\r\n\r\n\z/) { return if !sysread $far, $answer, 1, length $answer }
      return refuse($near, '502 Bad Gateway', "ralphd: the proxy of this machine does not connect to $host:$port")
        if $answer !~ m{\AHTTP/1\.[01] 2};
    }
    syswrite $near, "HTTP/1.1 200 Connection established\r\n\r\n";
    syswrite $far, $body if $body ne '';
    return relay($near, $far, $life);
  }
  $path = "/$path" if $path !~ m{^/};
  my $place = $port == 80 ? $host : "$host:$port";
  $path = "http://$place$path" if $upstream ne '';
  # The server must not be told another name, and gets this one request.
  my @kept = grep { !/^(?:Host|(?:Proxy-)?Connection|Keep-Alive|Proxy-Authorization|Upgrade|TE):/i } @$fields;
  my $text = join "\r\n", "$method $path $version", "Host: $place", 'Connection: close', @kept;
  $body = substr $body, 0, $length;
  $login = '' if $upstream eq '';
  syswrite $far, "$text\r\n$login\r\n$body";
  relay($near, $far, $life, $length - length $body);
}

# The parts of a request; nothing if another program could find other parts in it.
sub parse {
  my ($top, $body) = $_[0] =~ /\A(.*?)\r\n\r\n(.*)\z/s or return;
  my ($first, @fields) = split /\r\n/, $top;
  return if grep { !/\A[!#\$%&'*+.^_|~0-9A-Za-z-]+:[^\r\n\0]*\z/ } @fields;
  my ($method, $target, $version) = ($first // '') =~ m{\A([A-Za-z-]+) ([\x21-\x7e]+) (HTTP/1\.[01])\z} or return;
  return ($method, $target, $version, \@fields, $body);
}

# How long the body of a request is; nothing if that is not certain.
sub length_of {
  my @found = map { lc } grep { /^(?:Content-Length|Transfer-Encoding):/i } @_;
  return 0 if !@found;
  return if @found > 1;
  return $found[0] =~ /^content-length:[ \t]*(\d{1,15})[ \t]*\z/ ? $1 : undef;
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
`;
