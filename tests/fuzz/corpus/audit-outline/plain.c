#include <x.h>

static int a(struct b *c)
{
	int i;

	if (c->count > 17)
		return c->count_of_things;
	return 0;
}

struct s {
	int x;
};

int long_head(int first,
	      int second)
{
	do_something(first, second);
}
