#include "fiber.hpp"

#if defined(__x86_64__)

// Saves the registers a call must keep on the old stack, takes those of the new one from there.
asm(R"(
.text
.p2align 4
.type lb_explore_switch, @function
lb_explore_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size lb_explore_switch, .-lb_explore_switch
)");
extern "C" void lb_explore_switch(void** save, void* top) asm("lb_explore_switch");

namespace lb::explore {

void Fiber::prepare(void (*entry)()) {
  // Six registers, the address "ret" takes, and a null return address: the stack is then aligned as after a
  // call.
  auto** top = reinterpret_cast<void**>(stack_ + stack_bytes) - 8;
  for (int i = 0; i < 8; ++i) top[i] = nullptr;
  top[6] = reinterpret_cast<void*>(entry);
  top_ = top;
}

void Fiber::change(Fiber& from, Fiber& to) { lb_explore_switch(&from.top_, to.top_); }

}  // namespace lb::explore

#else

namespace lb::explore {

void Fiber::prepare(void (*entry)()) {
  getcontext(&context_);
  context_.uc_stack.ss_sp = stack_;
  context_.uc_stack.ss_size = stack_bytes;
  context_.uc_link = nullptr;
  makecontext(&context_, entry, 0);
}

void Fiber::change(Fiber& from, Fiber& to) { swapcontext(&from.context_, &to.context_); }

}  // namespace lb::explore

#endif
