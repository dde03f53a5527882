package commands

import (
	"regexp"
	"strings"

	"github.com/aoctl/aoctl/broker/risk/cmdline"
	"github.com/aoctl/aoctl/broker/risk/pathtable"
)

// fileRules are about rights and about files that are gone for good. What a command
// removes and writes is judged by its paths.
func fileRules() []rule {
	return []rule{
		{names: "chmod", when: recursive, why: "changes the rights of a whole folder"},
		{names: "chown chgrp setfacl", when: recursive, why: "changes the owner of a whole folder"},
		{names: "chmod", when: openToAll, why: "lets everybody write"},
		{names: "chmod", when: setsID, why: "makes a program run as its owner"},
		{names: "setcap", why: "gives a program more rights"},
		{names: "chattr chflags", why: "changes how files are protected"},
		{names: "find", when: findDeletes, why: "deletes what it finds", note: true},
		{names: "history", when: option("-c"), why: "erases the shell's history"},
		{names: "rsync", when: func(a cmdline.Command) bool {
			return a.AnyWord(func(w string) bool { return strings.HasPrefix(w, "--del") || w == "--remove-source-files" })
		}, why: "deletes what the source does not have", note: true},
	}
}

// recursive, findDeletes, openToAll and setsID are the questions of the rows above.
func recursive(a cmdline.Command) bool { return a.Has("-R", "--recursive") }

var (
	// Modes as chmod takes them, in digits and in letters: others may write; runs as its owner
	// or group.
	openMode = regexp.MustCompile(`^([0-7]?[0-7]{2}[2367]|[ugo]*[ao][ugoa]*[+=][rxXst]*w.*|[+=][rx]*w[rx]*)$`)
	idMode   = regexp.MustCompile(`^(0?[2-7][0-7]{3}|[ugoa,+=rwx-]*[ug]*[oa]*[+=][rwxX]*s.*)$`)
)

func openToAll(a cmdline.Command) bool {
	return a.AnyWord(func(w string) bool {
		for _, part := range strings.Split(w, ",") {
			if openMode.MatchString(part) && !strings.HasPrefix(part, "+") {
				return true
			}
		}
		return false
	})
}

func setsID(a cmdline.Command) bool {
	return a.AnyWord(func(w string) bool { return idMode.MatchString(w) && !strings.HasPrefix(w, "o") })
}

func findDeletes(a cmdline.Command) bool { return a.Has("-delete") }

// diskRules are about disks, memory and the kernel. A disk that is only looked at has no row.
func diskRules() []rule {
	return []rule{
		{names: "mkfs* newfs* mke2fs mkswap fdisk sfdisk cfdisk gdisk sgdisk parted partprobe wipefs blkdiscard badblocks", why: "changes disks", says: changesDisk},
		{names: "losetup cryptsetup swapon swapoff mdadm hdparm tune2fs resize2fs xfs_growfs e2fsck fsck", why: "changes disks", says: changesDisk},
		{names: "pvcreate pvremove vgcreate vgremove vgextend vgreduce lvcreate lvremove lvextend lvreduce lvresize lvm", why: "changes disks", says: changesDisk},
		{names: "diskutil", when: noSub("list|info"), why: "changes disks", says: changesDisk},
		{names: "zpool zfs", sub: "create|destroy|rollback|remove|detach|labelclear|wipe", why: "changes disks", says: changesDisk},
		{names: "btrfs", sub: "subvolume|device|filesystem delete|remove|resize", why: "changes disks", says: changesDisk},
		{names: "nvme", sub: "format|sanitize", why: "changes disks", says: changesDisk},
		{names: "mount umount", when: func(a cmdline.Command) bool { return len(a.Operands()) > 0 || a.Has("-a") }, why: "changes what is mounted"},
		{names: "dd", when: func(a cmdline.Command) bool {
			return a.AnyWord(func(w string) bool {
				p, ok := strings.CutPrefix(w, "of=/dev/")
				return ok && !pathtable.HarmlessDevice("/dev/"+p)
			})
		}, why: "writes to a device", says: writesDevice},
		{names: "shred truncate wipe", when: func(a cmdline.Command) bool {
			return a.AnyWord(func(w string) bool { return strings.HasPrefix(w, "/dev/") && !pathtable.HarmlessDevice(w) })
		}, why: "writes to a device", says: writesDevice},
		{names: "modprobe insmod rmmod kexec", why: "changes the running kernel"},
		{names: "sysctl", when: func(a cmdline.Command) bool {
			return a.Has("-w", "-p", "--write", "--system", "--load") || a.AnyWord(func(w string) bool { return strings.Contains(w, "=") })
		}, why: "changes the running kernel"},
	}
}
