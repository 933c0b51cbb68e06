#!/bin/sh
# Becomes a systemd that sees this machine's files read-only and nothing of its processes, network and units.
# Run by systemd.booted.mjs in namespaces of its own: sh systemd.init.sh <checkout> <node>
set -eu
checkout=$1
node=$2

mount --make-rprivate /
ip link set lo up

# Under paths that the units may see, wherever the checkout is.
mount -t tmpfs -o mode=0755 tmpfs /opt
mkdir /opt/openchamber /opt/bin
mount --rbind "$checkout" /opt/openchamber
touch /opt/bin/node
mount --bind "$node" /opt/bin/node
mount -t tmpfs -o mode=0755 tmpfs /usr/local/bin
ln -s /opt/bin/node /usr/local/bin/node
for command in openchamber-relay openchamber-push-relay; do
  ln -s "/opt/openchamber/apps/relay-server/bin/$command.js" "/usr/local/bin/$command"
done

mount -t tmpfs -o mode=0755 tmpfs /run
mkdir -p /run/systemd/system /run/etc/upper /run/etc/work
mount -t overlay overlay -o lowerdir=/etc,upperdir=/run/etc/upper,workdir=/run/etc/work /etc
mount -t tmpfs -o mode=0755 tmpfs /etc/systemd/system
mount -t tmpfs -o mode=0755 tmpfs /var
mkdir -p /var/lib /var/tmp
mount -t tmpfs -o mode=1777 tmpfs /tmp
umount -R /sys/fs/cgroup 2>/dev/null || true
mount -t cgroup2 cgroup2 /sys/fs/cgroup
mount -o remount,bind,ro /
# Of no concern to the machine; systemd hands credentials to services by mounts that spread.
mount --make-rshared /

cp /opt/openchamber/deploy/systemd/*.service /opt/openchamber/deploy/systemd/*.socket /etc/systemd/system/
mkdir /etc/openchamber
for unit in openchamber-relay openchamber-push-relay; do
  for kind in service socket; do
    mkdir "/etc/systemd/system/$unit.$kind.d"
    printf '[Unit]\nDefaultDependencies=no\n' > "/etc/systemd/system/$unit.$kind.d/test.conf"
  done
  # There is no journal here. A watchdog is waited for by the test.
  printf '[Service]\nStandardOutput=append:/run/%s.out\nStandardError=append:/run/%s.err\n' "$unit" "$unit" \
    >> "/etc/systemd/system/$unit.service.d/test.conf"
  printf 'WatchdogSec=2\nTimeoutAbortSec=1\nRestartSec=100ms\n' >> "/etc/systemd/system/$unit.service.d/test.conf"
done
printf '[Unit]\nDefaultDependencies=no\n' > /etc/systemd/system/idle.target

exec env -i container=test PATH="$PATH" LANG=C.UTF-8 \
  /lib/systemd/systemd --system --unit=idle.target --log-level=warning --log-target=console --show-status=no
