// Preloaded into the musl Node of the release check. Its C++ library has relative relocations in the form DT_RELR,
// which musl knows since 1.2.4 and passes over before that: they are applied here, ahead of all constructors, and what
// the program had copied out of the library before is copied again.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

enum { RELR_SIZE = 35, RELR = 36, COPY_X86_64 = 5, COPY_AARCH64 = 1024 };

static uintptr_t dynamic(struct dl_phdr_info *object, ElfW(Sxword) tag) {
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
    if (segment->p_type != PT_DYNAMIC) continue;
    for (ElfW(Dyn) *entry = (void *)(object->dlpi_addr + segment->p_vaddr); entry->d_tag; entry++)
      if (entry->d_tag == tag) return entry->d_un.d_val;
  }
  return 0;
}

static void make_writable(struct dl_phdr_info *object) {
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
    if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_W)) continue;
    uintptr_t start = object->dlpi_addr + segment->p_vaddr, page = start & -4096ul;
    mprotect((void *)page, start + segment->p_memsz - page, PROT_READ | PROT_WRITE);
  }
}

static int relocate(struct dl_phdr_info *object, size_t size, void *data) {
  uintptr_t base = object->dlpi_addr, *table = (void *)(base + dynamic(object, RELR)), *at = 0;
  size_t words = dynamic(object, RELR_SIZE) / sizeof *table;
  if (words) make_writable(object);
  for (size_t i = 0; i < words; i++) {
    uintptr_t entry = table[i];
    if (entry & 1) {
      for (int bit = 0; entry >>= 1; bit++)
        if (entry & 1) at[bit] += base;
      at += 63;
    } else {
      at = (void *)(base + entry);
      *at++ += base;
    }
  }
  return 0;
}

static int copy_again(struct dl_phdr_info *program, size_t size, void *data) {
  uintptr_t base = program->dlpi_addr;
  const char *names = (void *)(base + dynamic(program, DT_STRTAB));
  const ElfW(Sym) *symbols = (void *)(base + dynamic(program, DT_SYMTAB));
  const ElfW(Rela) *table = (void *)(base + dynamic(program, DT_RELA));
  size_t entries = dynamic(program, DT_RELASZ) / sizeof *table;
  make_writable(program);
  for (size_t i = 0; i < entries; i++) {
    unsigned type = table[i].r_info & 0xffffffff;
    if (type != COPY_X86_64 && type != COPY_AARCH64) continue;
    const ElfW(Sym) *symbol = &symbols[table[i].r_info >> 32];
    void *from = dlsym(RTLD_NEXT, names + symbol->st_name);
    if (from) memcpy((void *)(base + table[i].r_offset), from, symbol->st_size);
  }
  return 1;  // the program comes first; the rest copies nothing
}

__attribute__((constructor)) static void finish_loading(void) {
  dl_iterate_phdr(relocate, 0);
  dl_iterate_phdr(copy_again, 0);
}
