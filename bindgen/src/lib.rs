//! Bindings to libnvme and to the kernel's `sg` and `sed-opal` interfaces.
