/* What sedkit binds: libnvme, and the kernel's sg and sed-opal interfaces. */
#include <libnvme.h>
#include <linux/sed-opal.h>
#include <scsi/sg.h>
